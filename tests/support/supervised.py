"""Bench devices whose heartbeat a test can wait for, and a table that is online."""

from bench_device import BenchDevice
from bench_table import BenchTable
from pitwarden_drivers.api import PlainCard, Secret
from waiting import until

AS, KH = PlainCard(Secret(39)), PlainCard(Secret(38))


def bench(serial: str = "N42", **more: object) -> BenchDevice:
    device = BenchDevice(serial=serial, heartbeat_ms=100)
    for name, value in more.items():
        setattr(device, name, value)
    return device


async def online(table: BenchTable, name: str = "d0") -> None:
    await until(lambda: table.states(name)[-1:] == ["online identified"], pause=0.005)

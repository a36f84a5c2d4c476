"""TDP devices on real pseudo-terminals under the real supervisor and real ports, and the record of its reports."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from pitwarden.field.devices.runner import DeviceSpec, PortProvider
from pitwarden.field.devices.supervisor import DeviceSupervisor
from pitwarden.system.clock import Clock, SystemClock
from pitwarden_client.events.device import DeviceHealth
from pitwarden_drivers.api import DeviceReport, Driver, ExpectedDevice, PlainCard, Said, Secret
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import PortAddress
from pitwarden_drivers.tdp import DRIVER
from pitwarden_simulators.ports.pty import PtyPort
from testkit.clocks.waiting import until
from testkit.devices.serial_protocols import FramedShoe, PolledShuffler
from testkit.devices.tdp_device import SpecifiedDevice


@dataclass
class SupervisedTable:
    """Table under supervision. `ptys` hold the devices, named by their place in `devices`: d0, d1, ..."""

    folder: Path
    devices: Sequence[SpecifiedDevice | FramedShoe | PolledShuffler]
    driver: Driver = DRIVER
    clock: Clock = field(default_factory=SystemClock)
    ports: PortProvider = field(default_factory=PortOpener)
    stale_after_ms: int = 3_000
    commits: bool = True
    reports: list[tuple[str, DeviceReport]] = field(default_factory=list)
    healths: list[tuple[str, DeviceHealth]] = field(default_factory=list)
    ptys: dict[str, PtyPort] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.expected = {f"d{n}": ExpectedDevice(d.family, d.serial) for n, d in enumerate(self.devices)}
        self.ptys = {f"d{n}": PtyPort(self.folder / f"d{n}", d, self.clock) for n, d in enumerate(self.devices)}

    async def __aenter__(self) -> Self:
        self.supervisor = DeviceSupervisor(
            [
                DeviceSpec(name, PortAddress(str(self.ptys[name].link)), self.driver, expected, self.stale_after_ms)
                for name, expected in self.expected.items()
            ],
            clock=self.clock,
            random=lambda: 0.0,
            ports=self.ports,
            sink=self,
        )
        for pty in self.ptys.values():
            pty.plug()
        self.task = asyncio.create_task(self.supervisor.run(), name="bench supervisor")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        for pty in self.ptys.values():
            pty.unplug()

    def happens(self, name: str, said: Said) -> None:
        """Let an event happen at the device."""
        device = self.devices[int(name[1:])]
        assert isinstance(device, SpecifiedDevice), "a mapped device has words of its own"
        device.happens(said)
        self.ptys[name].pump.wake()

    def states(self, name: str) -> list[str]:
        """Return the healths of a device as `state code`, in order."""
        return [f"{health.state} {health.reason.split(':')[0]}" for said, health in self.healths if said == name]

    def said(self, name: str) -> list[Said]:
        """Return the reports of a device, in order."""
        return [report.said for reporter, report in self.reports if reporter == name]

    def events(self, name: str) -> list[tuple[int, int]]:
        """Return boot and counter of a device's stored events, in order."""
        return [(r.boot, r.counter) for reporter, r in self.reports if reporter == name and r.counter]

    def health(self, name: str, health: DeviceHealth) -> None:
        """Record a device's health; called by the supervisor."""
        self.healths.append((name, health))

    def report(self, name: str, report: DeviceReport) -> None:
        """Record a device's report; called by the supervisor."""
        self.reports.append((name, report))
        if report.counter and self.commits:
            self.supervisor.committed(name, report.boot, report.counter)


AS, KH = PlainCard(Secret(39)), PlainCard(Secret(38))


def tdp_device(serial: str = "N42", **more: object) -> SpecifiedDevice:
    device = SpecifiedDevice(serial=serial, heartbeat_ms=100)
    for name, value in more.items():
        setattr(device, name, value)
    return device


async def online(table: SupervisedTable, name: str = "d0") -> None:
    await until(lambda: table.states(name)[-1:] == ["online identified"], pause=0.005)

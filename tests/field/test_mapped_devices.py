"""Mapped devices that keep their messages, on real pseudo-terminals under the real supervisor."""

from pathlib import Path

import pytest

from pitwarden_client.events import device as ev
from pitwarden_drivers.registry import find_driver
from testkit.clocks.waiting import until
from testkit.devices.map_sessions import MAPS
from testkit.devices.serial_protocols import FramedShoe, PolledShuffler
from testkit.devices.supervised_table import SupervisedTable, online


def table_of(tmp_path: Path, name: str, device: FramedShoe | PolledShuffler) -> SupervisedTable:
    """Return a table with one mapped device on a pty; `d0` is its name."""
    return SupervisedTable(tmp_path, [device], find_driver(f"map:{MAPS / name}"))


async def test_a_framed_shoe_is_acknowledged_after_the_commit_over_a_real_line(tmp_path: Path) -> None:
    shoe = FramedShoe()
    table = table_of(tmp_path, "framed-shoe.toml", shoe)
    table.commits = False
    async with table:
        await online(table)
        shoe.happens("M")
        table.ptys["d0"].pump.wake()
        await until(lambda: ev.ShoeCut() in table.said("d0"), pause=0.005)
        assert list(shoe.outbox) == ["M"], "nothing is stored, so the shoe keeps its message"
        table.supervisor.committed("d0", *table.events("d0")[-1])
        await until(lambda: not shoe.outbox, pause=0.005)
        assert table.said("d0").count(ev.ShoeCut()) == 1


@pytest.mark.parametrize(
    ("name", "device", "body", "event"),
    [
        ("framed-shoe.toml", FramedShoe(), "M", ev.ShoeCut()),
        ("polled-shuffler.toml", PolledShuffler(), "START A", ev.ShufflerStarted(deck="A")),
    ],
)
async def test_what_happens_while_the_cable_is_out_arrives_once_it_is_back(
    tmp_path: Path, name: str, device: FramedShoe | PolledShuffler, body: str, event: ev.DeviceEvent
) -> None:
    async with table_of(tmp_path, name, device) as table:
        await online(table)
        table.ptys["d0"].unplug()
        await until(lambda: table.states("d0")[-1].startswith("lost"), pause=0.005)
        device.happens(body)
        table.ptys["d0"].plug()
        await until(lambda: not device.outbox, pause=0.005)
        stored = [said for said in table.said("d0") if said == event or isinstance(said, ev.DeviceSuspect)]
        assert len(stored) == 1

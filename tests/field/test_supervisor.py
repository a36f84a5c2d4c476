"""The supervisor over real ptys: devices fall silent, hang, stay away or go on (B19 to B21)."""

import asyncio
from pathlib import Path

from pitwarden.system.clock import SystemClock, UtcReading
from pitwarden_client.events import device as ev
from pitwarden_drivers.errors import PortUnavailableError
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import Port, PortAddress, PortListener
from testkit.clocks.waiting import until
from testkit.devices.supervised_table import AS, SupervisedTable, online, tdp_device


async def test_a_device_that_stops_reading_gets_no_late_command_and_the_loop_goes_on(tmp_path: Path) -> None:
    device = tdp_device()
    device.heartbeat_ms = 10_000
    async with SupervisedTable(tmp_path, [device], stale_after_ms=60_000) as table:
        await online(table)
        pty = table.ptys["d0"]
        pty.listen(on=False)
        orders = 0
        while "lost device_not_accepting" not in table.states("d0"):
            table.supervisor.committed("d0", 1, 0)
            table.supervisor.command("d0", f"c{orders}", "lock")
            orders += 1
            await asyncio.sleep(0)
        outcomes = {said.outcome for said in table.said("d0") if isinstance(said, ev.DeviceCommand)}
        assert outcomes
        assert outcomes <= {"timeout", "refused"}  # which, depends on where the kernel's buffer ended
        limit = (
            table.clock.mono_ms() + 2_100
        )  # a full queue loses the port at once, and a command is good for two seconds
        await until(lambda: table.clock.mono_ms() > limit, pause=0.005)
        pty.listen(on=True)
        await online(table)
        assert device.commands == []


async def test_silence_is_stale_and_then_lost_and_the_way_back_is_said_too(tmp_path: Path) -> None:
    device = tdp_device()
    async with SupervisedTable(tmp_path, [device], stale_after_ms=400) as table:
        await online(table)
        device.mute = True
        await until(lambda: "stale silent" in table.states("d0"), pause=0.005)
        device.mute = False
        await online(table)
        device.mute = True
        await until(lambda: table.states("d0")[-1] == "lost device_silent", pause=0.005)
        *ways, last = table.states("d0")
        there_and_back = len(ways) // 2
        assert there_and_back >= 2  # a test that gets no processor for a while is silent, too, and comes back
        assert [*ways, last] == [*["online identified", "stale silent"] * there_and_back, "lost device_silent"]


class UtcUnused(SystemClock):
    """A machine whose wall clock must not matter (B20)."""

    def utc(self) -> UtcReading:
        raise AssertionError("a deadline looked at the wall clock")


async def test_no_deadline_looks_at_the_wall_clock(tmp_path: Path) -> None:
    async with SupervisedTable(tmp_path, [tdp_device()], clock=UtcUnused()) as table:
        await online(table)
        table.supervisor.command("d0", "r", "report_count")
        await until(lambda: len(table.said("d0")) == 3, pause=0.005)
        assert table.said("d0")[1:] == [
            ev.DeviceCount(request="r", count=52),
            ev.DeviceCommand(request="r", command="report_count", outcome="done"),
        ]


async def test_a_command_under_way_when_the_cable_is_pulled_has_an_outcome(tmp_path: Path) -> None:
    device = tdp_device()
    async with SupervisedTable(tmp_path, [device]) as table:
        await online(table)
        table.ptys["d0"].listen(on=False)
        table.supervisor.command("d0", "r", "lock")
        table.supervisor.command("d0", "r", "lock")
        table.ptys["d0"].unplug()
        await until(lambda: len(table.said("d0")) == 3, pause=0.005)
        outcomes = [said.outcome for said in table.said("d0") if isinstance(said, ev.DeviceCommand)]
        assert outcomes == ["refused", "timeout"]


async def test_a_hanging_and_an_absent_device_slow_no_other(tmp_path: Path) -> None:
    class HalfDead(PortOpener):
        async def open(self, line: PortAddress, listener: PortListener) -> Port:
            if line.place.endswith("d0"):
                await asyncio.Event().wait()
            if line.place.endswith("d1"):
                raise PortUnavailableError("d1: it is not there")
            return await super().open(line, listener)

    devices = [tdp_device(f"N{n}") for n in range(6)]
    async with SupervisedTable(tmp_path, devices, ports=HalfDead()) as table:
        for name in ("d2", "d3", "d4", "d5"):
            await online(table, name)
        for _ in range(20):
            for name in ("d2", "d3", "d4", "d5"):
                table.happens(name, AS)
        await until(lambda: sum(len(table.events(name)) for name in table.ptys) == 80, pause=0.005)
        assert table.states("d1") == ["lost port_unavailable"]
        assert table.states("d0") == []

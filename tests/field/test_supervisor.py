"""The supervisor over real ptys: field cases B01, B04 to B07, B09, B14, B16, B19 to B21."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench_device import BenchDevice
from bench_table import BenchTable
from pitwarden.clock import SystemClock, UtcReading
from pitwarden.events import device as ev
from pitwarden_drivers.api import PlainCard, Secret
from pitwarden_drivers.faults import PortUnavailable
from pitwarden_drivers.ports.api import Line, Listener, Port
from pitwarden_drivers.ports.opening import Ports
from pitwarden_drivers.tdp.wire import encode
from pitwarden_drivers.tdp.wire_device import Event, Heartbeat
from pitwarden_simulators.ports.pty import PtyPort
from waiting import until

AS, KH = PlainCard(Secret(39)), PlainCard(Secret(38))


def bench(serial: str = "N42", **more: object) -> BenchDevice:
    device = BenchDevice(serial=serial, heartbeat_ms=100)
    for name, value in more.items():
        setattr(device, name, value)
    return device


def open_fds() -> set[str]:
    return {os.path.realpath(fd) for fd in Path("/proc/self/fd").iterdir()}


def kernel_name(pty: PtyPort) -> str:
    return os.path.realpath(pty.link)


def locking(pty: PtyPort) -> "subprocess.Popen[bytes]":
    """Another program that locks the tty until its input ends."""
    code = "import fcntl, sys; f = open(sys.argv[1], 'rb', 0); fcntl.flock(f, 2); print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(pty.link)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


async def online(table: BenchTable, name: str = "d0") -> None:
    await until(lambda: table.states(name)[-1:] == ["online identified"], pause=0.005)


async def test_old_bytes_are_not_believed_and_the_card_after_them_is(tmp_path: Path) -> None:
    device = bench()
    device.unsent += b"AS\r" + encode(Event(1, 1, 0x12, b"\x27\x02\x00"), Heartbeat(1, 1, 1))
    async with BenchTable(tmp_path, [device]) as table:
        await online(table)
        table.happens("d0", KH)
        await until(lambda: table.events("d0"), pause=0.005)
        assert table.said("d0") == [ev.DeviceIdentified(serial="N42", firmware="2.1.0", boot=1), KH]
        assert table.supervisor.stats["d0"].before_sync >= 3 + 2 * 18
        await until(lambda: not device.kept, pause=0.005)


async def test_a_held_port_is_busy_with_its_holder_named_and_heals_when_it_is_released(tmp_path: Path) -> None:
    table = BenchTable(tmp_path, [bench()])
    table.ptys["d0"].plug()
    holder = locking(table.ptys["d0"])
    assert holder.stdout is not None
    assert holder.stdin is not None
    holder.stdout.readline()
    async with table:
        await until(lambda: table.states("d0") == ["lost port_busy"], pause=0.005)
        assert f"held by process {holder.pid} (python" in table.healths[0][1].reason
        holder.stdin.close()
        holder.wait()
        await online(table)
    holder.stdout.close()


@pytest.mark.skipif(os.getuid() != 0, reason="the other user is played by root, whom TIOCEXCL does not stop")
async def test_no_other_user_can_open_a_port_in_use(tmp_path: Path) -> None:
    async with BenchTable(tmp_path, [bench()]) as table:
        await online(table)
        place = kernel_name(table.ptys["d0"])
        os.chmod(place, 0o666)  # noqa: S103, PTH101  anybody may open it, but for the exclusive use
        code = f"import os; os.open({place!r}, os.O_RDWR | os.O_NOCTTY)"
        other = await asyncio.create_subprocess_exec(
            "/usr/bin/python3", "-c", code, user=65_534, stderr=subprocess.PIPE
        )
        _, said = await other.communicate()
        assert b"Device or resource busy" in said


async def test_swapped_devices_are_noticed_and_nothing_reaches_the_wrong_one(tmp_path: Path) -> None:
    shoe, shuffler = bench("N42"), bench("N77", family="shuffler")
    table = BenchTable(tmp_path, [shoe, shuffler])
    table.expected = {"d0": table.expected["d1"], "d1": table.expected["d0"]}
    async with table:
        await until(lambda: len(table.healths) == 2, pause=0.005)
        table.supervisor.command("d0", "r1", "unlock")
        table.happens("d0", AS)
        assert table.states("d0") == table.states("d1") == ["lost identity_mismatch"]
        reasons = {name: health.reason for name, health in table.healths}
        assert "expected shuffler N77, found shoe N42" in reasons["d0"]
        assert "expected shoe N42, found shuffler N77" in reasons["d1"]
        assert table.said("d0") == [ev.DeviceCommand(request="r1", command="unlock", outcome="refused")]
        assert shoe.commands == shuffler.commands == []
        assert table.events("d0") == []


async def test_unplugged_in_mid_frame_and_back_under_another_name_nothing_is_lost(tmp_path: Path) -> None:
    device = bench()
    async with BenchTable(tmp_path, [device]) as table:
        await online(table)
        table.happens("d0", AS)
        await until(lambda: table.events("d0") == [(1, 1)], pause=0.005)
        pty = table.ptys["d0"]
        first = kernel_name(pty)
        whole = device.say(KH)
        device.unsent += whole[:7]
        pty.pump.poke()
        taken = os.openpty()  # the old name is taken when the device comes back
        pty.unplug()
        await until(lambda: table.states("d0")[-1] in {"lost link_lost", "lost port_unavailable"}, pause=0.005)
        pty.plug()
        await online(table)
        await until(lambda: len(table.events("d0")) == 2, pause=0.005)
        assert table.events("d0") == [(1, 1), (1, 2)]
        assert table.said("d0")[-1] == KH
        assert kernel_name(pty) == first or first not in open_fds()
        assert table.states("d0").count("lost link_lost") == 1
        for fd in taken:
            os.close(fd)


async def test_a_dead_port_does_not_spin_and_is_said_once(tmp_path: Path) -> None:
    async with BenchTable(tmp_path, [bench()]) as table:
        await online(table)
        table.ptys["d0"].unplug()
        await until(lambda: table.states("d0")[-1] == "lost port_unavailable", pause=0.005)
        before = table.supervisor.progress["d0"]
        await until(lambda: table.supervisor.progress["d0"] >= before + 3, pause=0.005)
        assert table.states("d0") == ["online identified", "lost link_lost", "lost port_unavailable"]


async def test_a_device_that_stops_reading_gets_no_late_command_and_the_loop_goes_on(tmp_path: Path) -> None:
    device = bench()
    device.heartbeat_ms = 10_000
    async with BenchTable(tmp_path, [device], stale_after_ms=60_000) as table:
        await online(table)
        pty = table.ptys["d0"]
        pty.listen(on=False)
        orders = 0
        while table.states("d0")[-1] != "lost device_not_accepting":
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
    device = bench()
    async with BenchTable(tmp_path, [device]) as table:
        await online(table)
        device.mute = True
        await until(lambda: table.states("d0")[-1] == "stale silent", pause=0.005)
        device.mute = False
        await online(table)
        device.mute = True
        await until(lambda: table.states("d0")[-1] == "lost device_silent", pause=0.005)
        assert table.states("d0") == [
            *(["online identified", "stale silent"] * 2),
            "lost device_silent",
        ]


class UtcUnused(SystemClock):
    """A machine whose wall clock must not matter (B20)."""

    def utc(self) -> UtcReading:
        raise AssertionError("a deadline looked at the wall clock")


async def test_no_deadline_looks_at_the_wall_clock(tmp_path: Path) -> None:
    async with BenchTable(tmp_path, [bench()], clock=UtcUnused()) as table:
        await online(table)
        table.supervisor.command("d0", "r", "report_count")
        await until(lambda: len(table.said("d0")) == 3, pause=0.005)
        assert table.said("d0")[1:] == [
            ev.DeviceCount(request="r", count=52),
            ev.DeviceCommand(request="r", command="report_count", outcome="done"),
        ]


async def test_a_command_under_way_when_the_cable_is_pulled_has_an_outcome(tmp_path: Path) -> None:
    device = bench()
    async with BenchTable(tmp_path, [device]) as table:
        await online(table)
        table.ptys["d0"].listen(on=False)
        table.supervisor.command("d0", "r", "lock")
        table.supervisor.command("d0", "r", "lock")
        table.ptys["d0"].unplug()
        await until(lambda: len(table.said("d0")) == 3, pause=0.005)
        outcomes = [said.outcome for said in table.said("d0") if isinstance(said, ev.DeviceCommand)]
        assert outcomes == ["refused", "timeout"]


async def test_what_the_log_did_not_take_is_asked_for_again(tmp_path: Path) -> None:
    async with BenchTable(tmp_path, [bench()], commits=False) as table:
        await online(table)
        for card in (AS, KH):
            table.happens("d0", card)
        await until(lambda: len(table.events("d0")) == 2, pause=0.005)
        table.supervisor.committed("d0", 1, 1)
        table.supervisor.rewind("d0", 1, 1)
        await until(lambda: len(table.events("d0")) == 3, pause=0.005)
        assert table.events("d0") == [(1, 1), (1, 2), (1, 2)]


async def test_what_is_not_committed_is_neither_acknowledged_nor_reported_twice(tmp_path: Path) -> None:
    device = bench()
    async with BenchTable(tmp_path, [device], commits=False) as table:
        await online(table)
        table.happens("d0", AS)
        await until(lambda: table.events("d0"), pause=0.005)
        table.ptys["d0"].unplug()
        table.ptys["d0"].plug()
        table.supervisor.committed("d0", 1, 1)
        await until(lambda: not device.kept, pause=0.005)
        assert table.events("d0") == [(1, 1)]


async def test_a_hanging_and_an_absent_device_slow_no_other(tmp_path: Path) -> None:
    never = asyncio.Event()
    ports = Ports()

    async def opener(line: Line, listener: Listener) -> Port:
        if line.place.endswith("d0"):
            await never.wait()
        if line.place.endswith("d1"):
            raise PortUnavailable("d1: it is not there")
        return await ports.open(line, listener)

    devices = [bench(f"N{n}") for n in range(6)]
    async with BenchTable(tmp_path, devices, open_port=opener) as table:
        for name in ("d2", "d3", "d4", "d5"):
            await online(table, name)
        for _ in range(20):
            for name in ("d2", "d3", "d4", "d5"):
                table.happens(name, AS)
        await until(lambda: sum(len(table.events(name)) for name in table.ptys) == 80, pause=0.005)
        assert table.states("d1") == ["lost port_unavailable"]
        assert table.states("d0") == []


async def test_a_restart_is_said_and_an_unknown_kind_stops_nothing(tmp_path: Path) -> None:
    device = bench()
    async with BenchTable(tmp_path, [device]) as table:
        await online(table)
        await until(lambda: device.live, pause=0.005)
        device.unsent += encode(Event(1, 1, 0x5A))
        device.newest[1] = device.sent = 1
        table.ptys["d0"].pump.poke()
        await until(lambda: table.events("d0"), pause=0.005)
        device.restart(2)
        table.happens("d0", AS)
        await until(lambda: len(table.events("d0")) == 2, pause=0.005)
        assert table.said("d0")[1:] == [
            ev.DeviceUnknown(code=0x5A),
            ev.DeviceIdentified(serial="N42", firmware="2.1.0", boot=2),
            ev.DeviceRestarted(boot=2),
            AS,
        ]


async def test_frames_cut_out_of_a_burst_come_again(tmp_path: Path) -> None:
    device = bench()
    async with BenchTable(tmp_path, [device]) as table:
        await online(table)
        burst = b"".join(device.say(AS) for _ in range(50))
        device.unsent += burst[: len(burst) // 2] + burst[len(burst) // 2 + 40 :]
        table.ptys["d0"].pump.poke()
        await until(lambda: len(table.events("d0")) == 50, pause=0.005)
        assert table.events("d0") == [(1, n) for n in range(1, 51)]

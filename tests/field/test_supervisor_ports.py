"""The supervisor over real ptys: ports that are held, swapped, pulled or dead (B04 to B07)."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pitwarden_client.events import device as ev
from pitwarden_simulators.ports.pty import PtyPort
from testkit.clocks.waiting import until
from testkit.devices.supervised_table import AS, KH, SupervisedTable, online, tdp_device


def open_fds() -> set[str]:
    return {os.path.realpath(fd) for fd in Path("/proc/self/fd").iterdir()}


def kernel_name(pty: PtyPort) -> str:
    return os.path.realpath(pty.link)


def locking(pty: PtyPort) -> "subprocess.Popen[bytes]":
    """Another program that locks the tty until its input ends."""
    code = "import fcntl, sys; f = open(sys.argv[1], 'rb', 0); fcntl.flock(f, 2); print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(pty.link)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


async def test_a_held_port_is_busy_with_its_holder_named_and_heals_when_it_is_released(tmp_path: Path) -> None:
    table = SupervisedTable(tmp_path, [tdp_device()])
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
    async with SupervisedTable(tmp_path, [tdp_device()]) as table:
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
    shoe, shuffler = tdp_device("N42"), tdp_device("N77", family="shuffler")
    table = SupervisedTable(tmp_path, [shoe, shuffler])
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
    device = tdp_device()
    async with SupervisedTable(tmp_path, [device]) as table:
        await online(table)
        table.happens("d0", AS)
        await until(lambda: table.events("d0") == [(1, 1)], pause=0.005)
        pty = table.ptys["d0"]
        first = kernel_name(pty)
        whole = device.emit(KH)
        device.unsent += whole[:7]
        pty.pump.wake()
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
    async with SupervisedTable(tmp_path, [tdp_device()]) as table:
        await online(table)
        table.ptys["d0"].unplug()
        await until(lambda: table.states("d0")[-1] == "lost port_unavailable", pause=0.005)
        before = table.supervisor.progress["d0"]
        await until(lambda: table.supervisor.progress["d0"] >= before + 3, pause=0.005)
        assert table.states("d0") == ["online identified", "lost link_lost", "lost port_unavailable"]


@pytest.mark.skipif(os.getuid() != 0, reason="stty is played by root, whom TIOCEXCL does not stop")
@pytest.mark.parametrize("settings", [["icrnl"], ["sane"], ["9600"]], ids=" ".join)
async def test_settings_that_stty_changed_are_reported_and_restored_and_nothing_is_lost(
    tmp_path: Path, settings: list[str]
) -> None:
    async with SupervisedTable(tmp_path, [tdp_device()]) as table:
        await online(table)
        table.happens("d0", AS)
        await until(lambda: table.events("d0") == [(1, 1)], pause=0.005)
        stty = await asyncio.create_subprocess_exec("stty", "-F", kernel_name(table.ptys["d0"]), *settings)
        assert await stty.wait() == 0
        table.happens("d0", KH)  # read with the wrong settings, or not at all
        await until(lambda: "lost line_changed" in table.states("d0"), pause=0.005)
        await online(table)
        table.happens("d0", AS)
        await until(lambda: len(table.events("d0")) == 3, pause=0.005)
        assert table.events("d0") == [(1, 1), (1, 2), (1, 3)]
        assert [one for one in table.said("d0") if one in {AS, KH}] == [AS, KH, AS]
        assert table.states("d0") == ["online identified", "lost line_changed", "online identified"]

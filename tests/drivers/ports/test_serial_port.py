"""An open serial port on a real pty: hang-ups, changed settings, and a device that stops reading.

Field cases B07 to B09, service case S12.
"""

import asyncio
import contextlib
import os
import socket
import termios
from collections.abc import Callable

import pytest

from pitwarden_drivers.errors import DeviceNotAcceptingError, LineChangedError, LinkLostError
from pitwarden_drivers.ports import fd_port
from pitwarden_drivers.ports.fd_port import FdPort
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import MAX_QUEUED, PortAddress
from pitwarden_drivers.ports.serial_port import SerialLine, open_serial
from testkit.clocks.waiting import until
from testkit.ports.listener import RecordingListener
from testkit.ports.pseudo_terminal import PseudoTerminal

Settings = list[int | list[bytes | int]]


async def test_a_line_that_hangs_up_is_lost_once_whether_reading_or_writing(pty: PseudoTerminal) -> None:
    ear = RecordingListener()
    port = await PortOpener().open(PortAddress(pty.name), ear)
    os.write(pty.master, b"half a fra")
    await until(lambda: ear.heard, pause=0.001)
    pty.close()
    port.write(b"query")
    port.write(b"query")
    await until(lambda: ear.faults, pause=0.001)
    await asyncio.sleep(0)
    port.write(b"query")
    await port.close()
    assert [type(fault) for fault in ear.faults] == [LinkLostError]


async def test_a_line_whose_other_end_is_gone_is_lost_by_listening_alone(pty: PseudoTerminal) -> None:
    ear = RecordingListener()
    port = await PortOpener().open(PortAddress(pty.name), ear)
    pty.close()
    await until(lambda: ear.faults, pause=0.001)
    assert [str(fault) for fault in ear.faults] == [f"{pty.name}: the line hung up: see the cable"]
    await port.close()


def cooked(flags: Settings) -> None:
    flags[0] = termios.ICRNL | termios.IXON
    flags[1] = termios.OPOST
    flags[3] = termios.ICANON | termios.ECHO


def translating(flags: Settings) -> None:
    flags[0] = int(str(flags[0])) | termios.ICRNL


def slower(flags: Settings) -> None:
    flags[4] = flags[5] = termios.B9600


def not_waiting(flags: Settings) -> None:
    flags[6] = [0 if at == termios.VMIN else one for at, one in enumerate(characters(flags))]


def characters(flags: Settings) -> list[bytes | int]:
    assert isinstance(flags[6], list)
    return flags[6]


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (translating, "ICRNL"),
        (cooked, "ICRNL, IGNBRK, IGNPAR, IXON, OPOST, ECHO, ICANON"),
        (slower, "ISPEED, OSPEED"),
        (not_waiting, "VMIN"),
    ],
)
async def test_settings_that_another_program_changed_are_named(
    pty: PseudoTerminal, monkeypatch: pytest.MonkeyPatch, change: Callable[[Settings], None], names: str
) -> None:
    monkeypatch.setattr(fd_port, "CHECK_S", 0.005)
    ear = RecordingListener()
    port = await PortOpener().open(PortAddress(pty.name), ear)
    os.write(pty.master, b"before")
    await until(lambda: ear.heard, pause=0.001)
    flags = termios.tcgetattr(pty.slave)
    change(flags)
    termios.tcsetattr(pty.slave, termios.TCSANOW, flags)
    await until(lambda: ear.faults, pause=0.001)
    await port.close()
    assert [type(fault) for fault in ear.faults] == [LineChangedError]
    assert str(ear.faults[0]).startswith(f"{pty.name}: another program changed ")
    assert sorted(str(ear.faults[0]).split("changed ")[1].split(":")[0].split(", ")) == sorted(names.split(", "))


async def test_a_line_that_is_as_it_was_is_kept_and_one_that_hung_up_is_reported_as_that(
    pty: PseudoTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = list[LineChangedError | None]()
    fault = SerialLine.fault
    monkeypatch.setattr(fd_port, "CHECK_S", 0.001)
    monkeypatch.setattr(SerialLine, "fault", lambda line: checks.append(fault(line)) or checks[-1])  # type: ignore[func-returns-value]  # append gives None
    ear = RecordingListener()
    port = await PortOpener().open(PortAddress(pty.name), ear)
    await until(lambda: len(checks) > 3, pause=0.001)
    pty.close()
    await until(lambda: ear.faults, pause=0.001)
    await port.close()
    assert [type(one) for one in ear.faults] == [LinkLostError]
    assert set(checks) == {None}


def test_a_line_that_hung_up_has_no_settings_to_compare(pty: PseudoTerminal) -> None:
    line = open_serial(PortAddress(pty.name))
    pty.close()
    assert line.fault() is None
    line.close()


async def test_a_wake_up_for_nothing_is_no_loss() -> None:
    ours, theirs = socket.socketpair()
    ours.settimeout(0)
    ear = RecordingListener()
    port = FdPort("socket", ours.fileno(), ear, ours.close)
    port._readable()  # noqa: SLF001  another reader of the event was quicker
    with contextlib.suppress(BlockingIOError):
        while ours.send(bytes(65_536)):  # nobody reads there: the kernel is full now, and stays so
            pass
    port.write(b"query")
    port._writable()  # noqa: SLF001
    assert ear.faults == []
    assert ear.heard == b""
    await port.close()
    theirs.close()


async def test_a_read_that_fails_is_a_lost_link() -> None:
    read, write = os.pipe()
    ear = RecordingListener()
    port = FdPort("pipe", write, ear, lambda: os.close(write))
    os.set_blocking(write, False)
    port._readable()  # noqa: SLF001  the write end of a pipe cannot be read: EBADF
    assert "reading failed, Bad file descriptor" in str(ear.faults[0])
    await port.close()
    os.close(read)


async def test_a_device_that_stops_reading_costs_the_port_and_what_it_did_not_take(pty: PseudoTerminal) -> None:
    ear = RecordingListener()
    port = await PortOpener().open(PortAddress(pty.name), ear)
    port.write(bytes(30_000 - 7) + b"SHUFFLE")
    await until(lambda: ear.faults, pause=0.01)
    assert isinstance(ear.faults[0], DeviceNotAcceptingError)
    assert "bytes were not taken in 2 s and are dropped" in str(ear.faults[0])
    await port.close()
    assert b"SHUFFLE" not in pty.rest()


async def test_what_exactly_fills_the_kernel_does_not_block_and_is_dropped_by_closing(pty: PseudoTerminal) -> None:
    ear = RecordingListener()
    port = await PortOpener().open(PortAddress(pty.name), ear)
    port.write(bytes(22_048 - 7) + b"SHUFFLE")
    await port.close()
    assert b"SHUFFLE" not in pty.rest()
    assert ear.faults == []


async def test_a_queue_that_would_grow_without_end_is_a_fault(pty: PseudoTerminal) -> None:
    ear = RecordingListener()
    port = await PortOpener().open(PortAddress(pty.name), ear)
    port.write(b"")
    for _ in range(3):
        port.write(bytes(MAX_QUEUED // 2 + 20_000))
    assert [type(fault) for fault in ear.faults] == [DeviceNotAcceptingError]
    assert f"more than {MAX_QUEUED} bytes wait" in str(ear.faults[0])
    await port.close()


async def test_a_slow_reader_gets_everything_in_order(pty: PseudoTerminal) -> None:
    port = await PortOpener().open(PortAddress(pty.name), RecordingListener())
    sent = bytes(n % 251 for n in range(50_000))
    port.write(sent)
    port.write(b"")
    got = bytearray()
    await until(lambda: got.extend(pty.read()) or len(got) >= len(sent), pause=0.001)  # type: ignore[func-returns-value]  # extend gives None
    assert bytes(got) == sent
    await port.close()

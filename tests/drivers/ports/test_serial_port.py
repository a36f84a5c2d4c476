"""Serial ports on real ptys: field cases B02 to B04, B06 to B09."""

import asyncio
import contextlib
import errno
import os
import socket
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from pitwarden_drivers.faults import DeviceFault, LinkLost, NotAccepting, PortBusy, PortUnavailable, PortUnsuitable
from pitwarden_drivers.ports import serial_port, settings
from pitwarden_drivers.ports.api import MAX_QUEUED, Line
from pitwarden_drivers.ports.fd_port import FdPort
from pitwarden_drivers.ports.holder import holder_of
from pitwarden_drivers.ports.opening import Ports
from port_ear import Ear
from waiting import until

ALL = bytes(range(256))


class Pty:
    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        self.name = os.ttyname(self.slave)
        os.set_blocking(self.master, False)

    def close(self) -> None:
        for fd in (self.master, self.slave):
            if fd >= 0:
                os.close(fd)
        self.master = self.slave = -1

    def read(self) -> bytes:
        try:
            return os.read(self.master, 65_536)
        except BlockingIOError:
            return b""


def drained(pty: Pty) -> bytes:
    """All that the device reads, late."""
    return b"".join(iter(pty.read, b""))


@pytest.fixture
def pty() -> Iterator[Pty]:
    made = Pty()
    yield made
    made.close()


def spoiled(fd: int) -> None:
    """A previous user left the tty cooked, with flow control, marks and echo, and DTR falling on close."""
    flags = termios.tcgetattr(fd)
    flags[0] |= termios.IXON | termios.IXOFF | termios.PARMRK | termios.ICRNL | termios.INPCK | termios.ISTRIP
    flags[1] |= termios.OPOST | termios.ONLCR
    flags[2] |= termios.HUPCL | termios.CSTOPB
    flags[3] |= termios.ICANON | termios.ECHO | termios.ISIG
    termios.tcsetattr(fd, termios.TCSANOW, flags)


async def test_every_byte_passes_whatever_the_tty_was_before(pty: Pty) -> None:
    spoiled(pty.slave)
    ear = Ear()
    port = await Ports().open(Line(pty.name), ear)
    os.write(pty.master, ALL)
    await until(lambda: len(ear.heard) >= len(ALL), pause=0.001)
    assert bytes(ear.heard) == ALL
    assert pty.read() == b""
    port.write(ALL)
    got = bytearray()
    await until(lambda: got.extend(pty.read()) or len(got) >= len(ALL), pause=0.001)  # type: ignore[func-returns-value]  # extend gives None
    assert bytes(got) == ALL
    assert not termios.tcgetattr(pty.slave)[2] & termios.HUPCL
    await port.close()
    assert ear.faults == []


def test_a_setting_that_does_not_take_is_named(pty: Pty, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.make_raw(pty.slave, pty.name)
    raw = termios.tcgetattr(pty.slave)
    other = [raw[0] | termios.IXON, raw[1], raw[2] | termios.HUPCL, raw[3], raw[4], termios.B300, raw[6]]
    answers = iter([raw, other])
    monkeypatch.setattr("pitwarden_drivers.ports.settings.termios.tcgetattr", lambda _fd: next(answers))
    with pytest.raises(PortUnsuitable, match="x: the line did not take IXON, HUPCL, OSPEED: use another"):
        settings.make_raw(pty.slave, "x")


def test_a_tty_that_refuses_settings_is_closed_again(pty: Pty, monkeypatch: pytest.MonkeyPatch) -> None:
    for raised, expected in (
        (PortUnsuitable("x: the line did not take IXON"), PortUnsuitable),
        (termios.error(5, "Input/output error"), PortUnavailable),
        (OSError(6, "No such device"), PortUnavailable),
    ):

        def refuse(_fd: int, _place: str, raised: Exception = raised) -> None:
            raise raised

        monkeypatch.setattr(serial_port, "make_raw", refuse)
        before = len(list(Path("/proc/self/fd").iterdir()))
        with pytest.raises(expected):
            serial_port.open_serial(Line(pty.name))
        assert len(list(Path("/proc/self/fd").iterdir())) == before


async def test_what_cannot_be_opened_says_why(pty: Pty, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    ports = Ports()
    for line, kind, words in (
        (Line(str(tmp_path / "gone")), PortUnavailable, "ENOENT: see that the device is plugged in"),
        (Line(str(file)), PortUnsuitable, "it is no serial line"),
        (Line(pty.name, 12_345), PortUnsuitable, "12345 bit/s is no standard speed"),
        (Line("socket://127.0.0.1:1"), PortUnavailable, "nobody answers there"),
    ):
        with pytest.raises(kind, match=words):
            await ports.open(line, Ear())


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (serial.SerialException(errno.EACCES, "could not open port: Permission denied"), PortUnavailable),
        (serial.SerialException(errno.ENXIO, "could not open port: No such device"), PortUnavailable),
        (serial.SerialException(errno.EBUSY, "could not open port: Device or resource busy"), PortBusy),
        (serial.SerialException(errno.EAGAIN, "Could not exclusively lock port x: taken"), PortBusy),
        (serial.SerialException("Could not configure port: not a tty"), PortUnsuitable),
    ],
)
def test_a_refusal_by_the_kernel_has_its_policy(
    error: Exception, expected: type[DeviceFault], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_given: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr(serial_port, "_Unflushed", refuse)
    with pytest.raises(expected, match=r"^/dev/pitwarden/shoe: it "):
        serial_port.open_serial(Line("/dev/pitwarden/shoe"))


async def test_a_port_of_ours_is_held_against_ourselves_too(pty: Pty) -> None:
    port = await Ports().open(Line(pty.name), Ear())
    with pytest.raises(PortBusy, match="held by another process"):
        await Ports().open(Line(pty.name), Ear())
    await port.close()
    again = await Ports().open(Line(pty.name), Ear())
    await again.close()


def test_the_holder_is_named_as_far_as_this_user_may_see(tmp_path: Path) -> None:
    held = tmp_path / "tty"
    held.touch()
    (tmp_path / "proc" / "77" / "fd").mkdir(parents=True)
    (tmp_path / "proc" / "77" / "fd" / "3").symlink_to(held)
    (tmp_path / "proc" / "66").mkdir()
    assert holder_of(str(held), tmp_path / "proc") == "process 77 (name unknown)"
    (tmp_path / "proc" / "77" / "comm").write_text("minicom\n")
    assert holder_of(str(held), tmp_path / "proc") == "process 77 (minicom)"
    assert holder_of("/nowhere", tmp_path / "proc") == "another process, which this user may not see"


async def test_a_line_that_hangs_up_is_lost_once_whether_reading_or_writing(pty: Pty) -> None:
    ear = Ear()
    port = await Ports().open(Line(pty.name), ear)
    os.write(pty.master, b"half a fra")
    await until(lambda: ear.heard, pause=0.001)
    pty.close()
    port.write(b"query")
    port.write(b"query")
    await until(lambda: ear.faults, pause=0.001)
    await asyncio.sleep(0)
    port.write(b"query")
    await port.close()
    assert [type(fault) for fault in ear.faults] == [LinkLost]


async def test_a_line_whose_other_end_is_gone_is_lost_by_listening_alone(pty: Pty) -> None:
    ear = Ear()
    port = await Ports().open(Line(pty.name), ear)
    pty.close()
    await until(lambda: ear.faults, pause=0.001)
    assert [str(fault) for fault in ear.faults] == [f"{pty.name}: the line hung up: see the cable"]
    await port.close()


async def test_a_wake_up_for_nothing_is_no_loss() -> None:
    ours, theirs = socket.socketpair()
    ours.settimeout(0)
    ear = Ear()
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
    ear = Ear()
    port = FdPort("pipe", write, ear, lambda: os.close(write))
    os.set_blocking(write, False)
    port._readable()  # noqa: SLF001  the write end of a pipe cannot be read: EBADF
    assert "reading failed, Bad file descriptor" in str(ear.faults[0])
    await port.close()
    os.close(read)


async def test_a_device_that_stops_reading_costs_the_port_and_what_it_did_not_take(pty: Pty) -> None:
    ear = Ear()
    port = await Ports().open(Line(pty.name), ear)
    port.write(bytes(30_000 - 7) + b"SHUFFLE")
    await until(lambda: ear.faults, pause=0.01)
    assert isinstance(ear.faults[0], NotAccepting)
    assert "bytes were not taken in 2 s and are dropped" in str(ear.faults[0])
    await port.close()
    assert b"SHUFFLE" not in drained(pty)


async def test_what_exactly_fills_the_kernel_does_not_block_and_is_dropped_by_closing(pty: Pty) -> None:
    ear = Ear()
    port = await Ports().open(Line(pty.name), ear)
    port.write(bytes(22_048 - 7) + b"SHUFFLE")
    await port.close()
    assert b"SHUFFLE" not in drained(pty)
    assert ear.faults == []


async def test_a_queue_that_would_grow_without_end_is_a_fault(pty: Pty) -> None:
    ear = Ear()
    port = await Ports().open(Line(pty.name), ear)
    port.write(b"")
    for _ in range(3):
        port.write(bytes(MAX_QUEUED // 2 + 20_000))
    assert [type(fault) for fault in ear.faults] == [NotAccepting]
    assert f"more than {MAX_QUEUED} bytes wait" in str(ear.faults[0])
    await port.close()


async def test_a_slow_reader_gets_everything_in_order(pty: Pty) -> None:
    port = await Ports().open(Line(pty.name), Ear())
    sent = bytes(n % 251 for n in range(50_000))
    port.write(sent)
    port.write(b"")
    got = bytearray()
    await until(lambda: got.extend(pty.read()) or len(got) >= len(sent), pause=0.001)  # type: ignore[func-returns-value]  # extend gives None
    assert bytes(got) == sent
    await port.close()

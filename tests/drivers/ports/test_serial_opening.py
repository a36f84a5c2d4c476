"""A serial port is opened on a real pty: settings, refusals, and who holds it: field cases B02 to B04, B06."""

import errno
import os
import termios
from pathlib import Path

import pytest
import serial

from pitwarden_drivers.errors import DeviceError, PortBusyError, PortUnavailableError, PortUnsuitableError
from pitwarden_drivers.ports import serial_port
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import PortAddress
from pitwarden_drivers.ports.serial_port import port_holder
from testkit.clocks.waiting import until
from testkit.ports.listener import RecordingListener
from testkit.ports.pseudo_terminal import PseudoTerminal

ALL = bytes(range(256))


def spoiled(fd: int) -> None:
    """Leave the tty cooked, with flow control, marks and echo, and DTR falling on close, as a previous user might."""
    flags = termios.tcgetattr(fd)
    flags[0] |= termios.IXON | termios.IXOFF | termios.PARMRK | termios.ICRNL | termios.INPCK | termios.ISTRIP
    flags[1] |= termios.OPOST | termios.ONLCR
    flags[2] |= termios.HUPCL | termios.CSTOPB
    flags[3] |= termios.ICANON | termios.ECHO | termios.ISIG
    termios.tcsetattr(fd, termios.TCSANOW, flags)


async def test_every_byte_passes_whatever_the_tty_was_before(pty: PseudoTerminal) -> None:
    spoiled(pty.slave)
    ear = RecordingListener()
    port = await PortOpener().open(PortAddress(pty.name), ear)
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


async def test_a_program_in_the_place_of_a_device_is_refused_where_the_table_is_not_marked(
    pty: PseudoTerminal, tmp_path: Path
) -> None:
    """Also behind a stable name: the link under /dev/pitwarden may lead anywhere."""
    link = tmp_path / "shoe"
    link.symlink_to(pty.name)
    with pytest.raises(PortUnsuitableError, match=f"leads to {pty.name}, behind which a program runs and no device"):
        await PortOpener(simulated=False).open(PortAddress(str(link)), RecordingListener())
    with pytest.raises(PortUnavailableError):
        await PortOpener(simulated=False).open(PortAddress(str(tmp_path / "nothing")), RecordingListener())
    port = await PortOpener(simulated=True).open(PortAddress(str(link)), RecordingListener())
    await port.close()


def test_a_setting_that_does_not_take_is_named(pty: PseudoTerminal, monkeypatch: pytest.MonkeyPatch) -> None:
    serial_port.make_raw(pty.slave, pty.name)
    raw = termios.tcgetattr(pty.slave)
    other = [raw[0] | termios.IXON, raw[1], raw[2] | termios.HUPCL, raw[3], raw[4], termios.B300, raw[6]]
    answers = iter([raw, other])
    monkeypatch.setattr("pitwarden_drivers.ports.serial_port.termios.tcgetattr", lambda _fd: next(answers))
    with pytest.raises(PortUnsuitableError, match="x: the line did not take IXON, HUPCL, OSPEED: use another"):
        serial_port.make_raw(pty.slave, "x")


def test_a_tty_that_refuses_settings_is_closed_again(pty: PseudoTerminal, monkeypatch: pytest.MonkeyPatch) -> None:
    for raised, expected in (
        (PortUnsuitableError("x: the line did not take IXON"), PortUnsuitableError),
        (termios.error(5, "Input/output error"), PortUnavailableError),
        (OSError(6, "No such device"), PortUnavailableError),
    ):

        def refuse(_fd: int, _place: str, raised: Exception = raised) -> None:
            raise raised

        monkeypatch.setattr(serial_port, "make_raw", refuse)
        before = len(list(Path("/proc/self/fd").iterdir()))
        with pytest.raises(expected):
            serial_port.open_serial(PortAddress(pty.name))
        assert len(list(Path("/proc/self/fd").iterdir())) == before


async def test_what_cannot_be_opened_says_why(pty: PseudoTerminal, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    ports = PortOpener()
    for line, kind, words in (
        (PortAddress(str(tmp_path / "gone")), PortUnavailableError, "ENOENT: see that the device is plugged in"),
        (PortAddress(str(file)), PortUnsuitableError, "it is no serial line"),
        (PortAddress(pty.name, 12_345), PortUnsuitableError, "12345 bit/s is no standard speed"),
        (PortAddress("socket://127.0.0.1:1"), PortUnavailableError, "nobody answers there"),
    ):
        with pytest.raises(kind, match=words):
            await ports.open(line, RecordingListener())


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (serial.SerialException(errno.EACCES, "could not open port: Permission denied"), PortUnavailableError),
        (serial.SerialException(errno.ENXIO, "could not open port: No such device"), PortUnavailableError),
        (serial.SerialException(errno.EBUSY, "could not open port: Device or resource busy"), PortBusyError),
        (serial.SerialException(errno.EAGAIN, "Could not exclusively lock port x: taken"), PortBusyError),
        (serial.SerialException("Could not configure port: not a tty"), PortUnsuitableError),
    ],
)
def test_a_refusal_by_the_kernel_has_its_policy(
    error: Exception, expected: type[DeviceError], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_given: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr(serial_port, "_Unflushed", refuse)
    with pytest.raises(expected, match=r"^/dev/pitwarden/shoe: it "):
        serial_port.open_serial(PortAddress("/dev/pitwarden/shoe"))


async def test_a_port_of_ours_is_held_against_ourselves_too(pty: PseudoTerminal) -> None:
    port = await PortOpener().open(PortAddress(pty.name), RecordingListener())
    with pytest.raises(PortBusyError, match="held by this service, for another device"):
        await PortOpener().open(PortAddress(pty.name), RecordingListener())
    await port.close()
    again = await PortOpener().open(PortAddress(pty.name), RecordingListener())
    await again.close()


def test_the_holder_is_named_as_far_as_this_user_may_see(tmp_path: Path) -> None:
    held = tmp_path / "tty"
    held.touch()
    (tmp_path / "proc" / "77" / "fd").mkdir(parents=True)
    (tmp_path / "proc" / "77" / "fd" / "3").symlink_to(held)
    (tmp_path / "proc" / "66").mkdir()
    assert port_holder(str(held), tmp_path / "proc") == "process 77 (name unknown): end that program"
    (tmp_path / "proc" / "77" / "comm").write_text("minicom\n")
    assert port_holder(str(held), tmp_path / "proc") == "process 77 (minicom): end that program"
    assert port_holder("/nowhere", tmp_path / "proc") == (
        "another process, which this user may not see: end that program"
    )

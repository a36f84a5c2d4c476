"""Frames of a mapped device, with acknowledgments and without: torn, damaged, and enquiries."""

from pathlib import Path

from pitwarden_client.events import device as ev
from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.mapping.session import DOUBTFUL
from pitwarden_drivers.registry import find_driver
from testkit.devices.keeping_devices import FRAMED, POLLED, framed, polled
from testkit.devices.keeping_line import KeepingLine
from testkit.devices.map_sessions import edited
from testkit.devices.serial_protocols import FramedShoe, PolledShuffler

SUSPECT = ev.DeviceSuspect(reason=DOUBTFUL)


def test_frames_without_acknowledgements_are_read_and_written_like_lines(tmp_path: Path) -> None:
    text = FRAMED.read_text()
    ack = text[text.index("[ack]") : text.index("[identify]")]
    lock = '[command.lock]\nask = "S1"'
    file = edited(tmp_path, ack, "", FRAMED)
    file.write_text(
        file.read_text()
        .replace(lock, f"{lock}\npattern = 'OK'")
        .replace('ask = "S0"', "ask = \"S0\"\npattern = 'OK'")
        .replace('"4CAHD" = ', '"CAHD" = ')
        .replace('frame = "02 30 4D 03 7E"', 'frame = "02 4D 03 4E"')
    )
    session = find_driver(f"map:{file}").session(ExpectedDevice("shoe", "S-9"))
    assert session.begin(0).send == FramedShoe.frame("I")
    assert session.tick(500).send == b""
    turn = session.receive(600, FramedShoe.frame("IS-9/1.0") + FramedShoe.frame("M") + b"\x02M\x03\x00")
    assert turn.send == b"", "nothing is acknowledged"
    assert [report.said for report in turn.reports if report.counter] == [ev.ShoeCut()]
    assert session.committed(700, 1, 1).send == b""
    assert session.stats.frames_rejected == 1


def test_a_frame_whose_rest_never_comes_is_dropped() -> None:
    line, device = framed()
    for pause in (600, 2_000):
        line.session.receive(line.now, b"\x02" + b"0")
        line.now += pause
        if pause == 2_000:
            line.session.tick(line.now)
        line.turned(line.session.receive(line.now, device.frame(f"{device.number}M")))
        device.number += 1
        line.run(100)
    assert line.said() == [ev.ShoeCut(), ev.ShoeCut()]


def test_a_damaged_frame_is_rejected_unless_an_event_waits_for_the_log() -> None:
    line, device = framed()
    assert line.session.receive(line.now, b"\x02M\x03\x00").send == b"\x15"
    turn = line.session.receive(line.now, device.frame("0M"))
    assert turn.send == b""
    assert line.session.receive(line.now, b"\x02M\x03\x00").send == b""
    boot, counter = turn.reports[0].boot, turn.reports[0].counter
    assert line.session.committed(line.now, boot + 1, counter).send == b""
    assert line.session.committed(line.now, boot, counter - 1).send == b""
    assert line.session.committed(line.now, boot, counter).send == b"\x06"
    assert (line.session.stats.frames_rejected, line.session.stats.bytes_dropped) == (2, 8)


def test_an_enquiry_is_answered_and_an_answer_to_nothing_is_not() -> None:
    line, _ = polled()
    plain = KeepingLine(POLLED, PolledShuffler())
    assert plain.session.receive(plain.now, b"\x06\x15\x04").send == b""
    assert line.session.receive(line.now, b"\x06").send == b""


def test_an_enquiry_of_the_device_is_answered(tmp_path: Path) -> None:
    line, _ = framed(edited(tmp_path, 'good = "06"', 'good = "06"\nenquiry = "05"', FRAMED))
    assert line.session.receive(line.now, b"\x05").send == b"\x06"

"""Commands to a mapped device with acknowledgments: each has one outcome, and questions do not pile up."""

from pathlib import Path

import pytest

from pitwarden_client.events import device as ev
from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.registry import find_driver
from testkit.devices.keeping_devices import FRAMED, framed, polled
from testkit.devices.map_sessions import edited
from testkit.devices.serial_protocols import FramedShoe


@pytest.mark.parametrize(("accepts", "outcome"), [(True, "done"), (False, "timeout")])
def test_a_command_without_a_pattern_is_confirmed_by_its_acknowledgement(accepts: bool, outcome: str) -> None:  # noqa: FBT001
    line, device = framed()
    device.accepts = accepts
    line.turned(line.session.command(line.now, "r1", "lock"))
    line.run(3_000)
    said = [report.said for report in line.stored if isinstance(report.said, ev.DeviceCommand)]
    assert said == [ev.DeviceCommand.model_validate({"request": "r1", "command": "lock", "outcome": outcome})]
    assert device.locked is accepts


def test_a_reply_stands_for_the_acknowledgement_where_the_map_says_so(tmp_path: Path) -> None:
    file = edited(tmp_path, "acknowledge_replies = false", "reply_acknowledges = true", FRAMED)
    file.write_text(file.read_text().replace('ask = "S1"', "ask = \"S1\"\npattern = 'LOCKED'"))
    session = find_driver(f"map:{file}").session(ExpectedDevice("shoe", "S-9"))
    session.begin(0)
    session.receive(50, FramedShoe.frame("IS-9/1.0"))
    assert session.command(100, "r1", "lock").send == FramedShoe.frame("S1")
    turn = session.receive(150, FramedShoe.frame("LOCKED"))
    assert [report.said for report in turn.reports] == [ev.DeviceCommand(request="r1", command="lock", outcome="done")]
    assert session.tick(700).send == b"", "it is not sent again"


def test_a_command_that_is_acknowledged_and_never_confirmed_times_out(tmp_path: Path) -> None:
    file = edited(tmp_path, 'ask = "S1"', "ask = \"S1\"\npattern = 'LOCKED'", FRAMED)
    line, _ = framed(file)
    line.turned(line.session.command(line.now, "r1", "lock"))
    line.run(3_000)
    said = [report.said for report in line.stored if isinstance(report.said, ev.DeviceCommand)]
    assert said == [ev.DeviceCommand(request="r1", command="lock", outcome="timeout")]


def test_a_command_whose_time_is_out_has_one_outcome(tmp_path: Path) -> None:
    """The link gives up after the dialogue did: its four tries take longer."""
    line, device = framed(edited(tmp_path, "answer_ms = 500", "answer_ms = 900", FRAMED))
    device.accepts = False
    line.to_device = lambda data: b"" if b"S1" in data else data
    line.turned(line.session.command(line.now, "r1", "lock"))
    line.run(6_000)
    said = [report.said for report in line.stored if isinstance(report.said, ev.DeviceCommand)]
    assert said == [ev.DeviceCommand(request="r1", command="lock", outcome="timeout")]


def test_questions_that_nothing_answers_do_not_pile_up() -> None:
    line, device = polled()
    line.to_device = lambda data: b"" if b"S" in data else data  # selections are lost
    for _ in range(100):
        line.session.command(line.now, "r", "lock")
        line.run(100)
    line.to_device = bytes
    device.happens("START A")
    line.run(3_000)
    assert ev.ShufflerStarted(deck="A") in line.said()

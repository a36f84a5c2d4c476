"""Commands over TDP: each has one outcome, and none is done late (B10)."""

import pytest

from pitwarden_client.events import device as ev
from pitwarden_drivers.tdp.frames_device import HeartbeatFrame, ReplyFrame
from pitwarden_drivers.tdp.frames_host import CommandFrame
from pitwarden_drivers.tdp.frames_list import ListBeginFrame, ListItemsFrame
from pitwarden_drivers.tdp.wire import encode
from testkit.devices.tdp_line import send_frames, tdp_line


def test_a_late_reply_is_a_stray_and_answers_no_other_question() -> None:
    line = tdp_line()
    line.to_host = lambda _data: b""
    line.turned(line.session.command(line.now, "a", "report_count"))
    line.run(2_000)
    assert line.said()[1:] == [ev.DeviceCommand(request="a", command="report_count", outcome="timeout")]
    line.to_host = lambda data: data
    line.device.mute = True
    line.turned(line.session.command(line.now, "b", "lock"))
    line.device.mute = False
    a, b = line.device.commands
    send_frames(
        line,
        ListBeginFrame(3, 0, a.request, 2, 0),
        ReplyFrame(a.request, 0),
        ReplyFrame(b.request, 9),
        ReplyFrame(b.request, 0),
    )
    assert line.said()[2:] == [ev.DeviceCommand(request="b", command="lock", outcome="done")]
    assert line.session.stats.stray_replies == 3
    for n in range(20):
        line.turned(line.session.command(line.now, f"c{n}", "lock"))
    assert [said for said in line.said()[3:] if isinstance(said, ev.DeviceCommand) and said.outcome == "done"] == (
        [ev.DeviceCommand(request=f"c{n}", command="lock", outcome="done") for n in range(20)]
    )


@pytest.mark.parametrize(("result", "outcome"), [(0, "done"), (1, "refused"), (2, "refused"), (3, "timeout")])
def test_a_command_has_the_outcome_that_the_device_gives(result: int, outcome: str) -> None:
    line = tdp_line(result=result)
    line.turned(line.session.command(line.now, "u", "unlock"))
    assert [said.outcome for said in line.said() if isinstance(said, ev.DeviceCommand)] == [outcome]


def test_a_command_that_lay_in_a_buffer_is_not_done_late() -> None:
    line = tdp_line()
    held: list[bytes] = []
    line.to_device = lambda data: held.append(data) or b""  # type: ignore[func-returns-value]  # append gives None
    line.turned(line.session.command(line.now, "u", "unlock"))
    line.run(1_900)
    assert CommandFrame(1_000, 2, 3_001) not in line.device.commands
    line.run(200)
    line.device.receive(line.now, b"".join(held))
    assert line.device.commands == []
    line.to_device = lambda data: data
    line.turned(line.session.command(line.now, "u2", "unlock"))
    assert [said.outcome for said in line.said() if isinstance(said, ev.DeviceCommand)] == ["timeout", "done"]
    assert line.device.commands == [CommandFrame(1_001, 2, line.now + 1 + 2_000)]


def test_a_device_without_a_clock_gets_commands_without_a_limit() -> None:
    line = tdp_line()
    send_frames(line, HeartbeatFrame(1, 1, 0))
    line.turned(line.session.command(line.now, "u", "unlock"))
    assert line.device.commands == [CommandFrame(1_000, 2, 0)]


def test_a_count_is_the_sum_of_the_compartments() -> None:
    line = tdp_line()
    line.turned(line.session.command(line.now, "c", "report_count"))
    assert line.said()[1:] == [
        ev.DeviceCount(request="c", count=52),
        ev.DeviceCommand(request="c", command="report_count", outcome="done"),
    ]


def test_a_count_that_comes_short_is_no_count_and_the_command_times_out() -> None:
    line = tdp_line(held=bytes(500))
    cut = encode(ListItemsFrame(1_000, 200, bytes(200)))
    line.to_host = lambda data: data.replace(cut, b"")
    line.turned(line.session.command(line.now, "c", "report_count"))
    assert line.said()[1:] == []
    line.run(2_000)
    assert line.said()[1:] == [ev.DeviceCommand(request="c", command="report_count", outcome="timeout")]


def test_too_many_commands_at_once_are_refused() -> None:
    line = tdp_line()
    line.to_device = lambda _data: b""
    for n in range(17):
        line.turned(line.session.command(line.now, f"c{n}", "lock"))
    assert line.said()[1:] == [ev.DeviceCommand(request="c16", command="lock", outcome="refused")]

"""A stack of cards comes whole or again, whatever stands between its frames."""

from pitwarden_client.events import device as ev
from pitwarden_drivers.api import PlainStack, Secret
from pitwarden_drivers.tdp.frames_device import EventFrame, HeartbeatFrame
from pitwarden_drivers.tdp.frames_list import ListBeginFrame, ListEndFrame, ListItemsFrame
from pitwarden_drivers.tdp.wire import encode
from testkit.devices.tdp_line import send_frames, tdp_line


def test_a_short_stack_never_passes_as_whole_and_comes_again() -> None:
    line = tdp_line()
    stack = PlainStack(3, (Secret(1), Secret(2), Secret(3)))
    whole = line.device.emit(stack)
    frames = whole.split(b"\x7e\x7e")
    line.heard(b"\x7e\x7e".join((frames[0], frames[2])))
    assert line.said()[1:] == [stack]
    assert line.log[1].counter == 1


def test_a_stack_under_way_is_dropped_by_any_event_and_doubles_are_counted() -> None:
    line = tdp_line()
    send_frames(
        line,
        ListBeginFrame(0x14, 1, 1, 2, 0),
        ListItemsFrame(1, 0, b"\x01"),
        EventFrame(1, 1, 0x15),
        ListItemsFrame(1, 1, b"\x02"),
        ListEndFrame(1),
    )
    assert line.said()[1:] == [ev.ShoeCut()]
    send_frames(line, ListBeginFrame(0x14, 1, 1, 2, 0), EventFrame(1, 1, 0x15), ListEndFrame(1))
    assert line.session.stats.duplicates == 2


def test_a_stack_whose_end_is_lost_comes_again_after_the_next_heartbeat() -> None:
    line = tdp_line()
    stack = PlainStack(2, (Secret(1), Secret(2)))
    line.heard(line.device.emit(stack).removesuffix(encode(ListEndFrame(1))))
    assert line.events() == []
    line.run(1_000)
    assert line.said()[1:] == [stack]


def test_a_heartbeat_in_the_midst_of_a_stack_is_harmless() -> None:
    line = tdp_line()
    stack = PlainStack(2, (Secret(1), Secret(2)))
    first, *rest = line.device.emit(stack).split(b"\x7e\x7e")
    line.heard(first + b"\x7e" + encode(HeartbeatFrame(1, 1, 0)) + b"\x7e" + b"\x7e\x7e".join(rest))
    assert line.said()[1:] == [stack]

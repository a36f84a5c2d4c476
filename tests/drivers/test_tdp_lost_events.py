"""What got lost on the line is asked for again; what was not stored is not acknowledged (B16)."""

import pytest

from pitwarden_client.events import device as ev
from pitwarden_drivers.errors import DeviceSilentError
from pitwarden_drivers.tdp.frames_device import BacklogFrame, EventFrame, HeartbeatFrame
from pitwarden_drivers.tdp.frames_host import IdentifyFrame
from pitwarden_drivers.tdp.wire import Frame, encode
from testkit.devices.tdp_line import AS, KH, SEVEN, send_frames, tdp_line


def test_what_the_device_no_longer_has_is_a_gap_and_nothing_else_is() -> None:
    line = tdp_line()
    line.to_host = lambda _data: b""
    for card in (AS, KH, SEVEN, AS):
        line.heard(line.device.emit(card))
    line.device.forget(1, 1)
    line.device.forget(1, 2)
    line.to_host = lambda data: data
    line.run(1_000)
    assert line.said()[1:] == [ev.DeviceGap(first=1, last=2), SEVEN, AS]
    assert line.log[1].counter == 2
    assert line.device.kept == {}


def test_a_question_that_got_lost_is_asked_again_after_half_a_second() -> None:
    line = tdp_line()
    line.commits = False
    line.heard(line.device.emit(AS))
    line.to_device = lambda data: data if data == encode(IdentifyFrame(line.now)) else b""
    line.open()
    send_frames(line, HeartbeatFrame(1, 1, 0))
    line.to_device = lambda data: data
    line.heard(line.device.emit(KH))
    line.run(500)
    assert line.events() == [(1, 1), (1, 2)]


def test_a_lost_card_comes_again_at_the_next_card_or_the_next_heartbeat() -> None:
    line = tdp_line()
    line.run(1_000)
    line.to_host = lambda _data: b""
    line.heard(line.device.emit(AS))
    line.to_host = lambda data: data
    line.heard(line.device.emit(KH))
    assert line.said()[-2:] == [AS, KH]
    line.to_host = lambda _data: b""
    line.heard(line.device.emit(SEVEN))
    line.to_host = lambda data: data
    line.run(1_000)
    assert line.said()[-3:] == [AS, KH, SEVEN]


def test_a_device_that_skips_a_number_is_not_believed_for_ever() -> None:
    line = tdp_line()
    skipping: list[Frame] = [EventFrame(1, 2, 0x15), BacklogFrame(1, 1, 0, 0)]
    with pytest.raises(DeviceSilentError, match="never sent event 1, asked 10 times"):
        send_frames(line, *(skipping * 20))


def test_nothing_is_acknowledged_before_it_is_stored_and_a_lost_acknowledgement_is_repeated() -> None:
    line = tdp_line()
    line.commits = False
    line.heard(line.device.emit(AS))
    line.heard(line.device.emit(KH))
    assert len(line.device.kept) == 2
    line.to_device = lambda _data: b""
    line.turned(line.session.committed(line.now, 1, 1))
    line.to_device = lambda data: data
    line.run(1_000)
    assert list(line.device.kept) == [(1, 2)]


def test_what_was_stored_while_the_line_was_down_is_acknowledged_on_the_next_dialogue() -> None:
    line = tdp_line()
    line.commits = False
    line.heard(line.device.emit(AS))
    line.to_device = lambda _data: b""
    line.open()
    assert line.session.committed(line.now, 1, 1).send == b""
    line.to_device = lambda data: data
    line.run(1_000)
    assert line.device.kept == {}

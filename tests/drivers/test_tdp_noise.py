"""What is no frame, no answer or no known kind costs itself alone; silence is noticed (B14, B19)."""

import pytest

from pitwarden_client.events import device as ev
from pitwarden_drivers.errors import DeviceSilentError
from pitwarden_drivers.framing.stuffed import encode_frame
from pitwarden_drivers.tdp.frames_device import EventFrame, IdentityFrame
from pitwarden_drivers.tdp.frames_host import IdentifyFrame
from testkit.devices.tdp_line import AS, KH, send_frames, tdp_line


def test_a_device_that_stops_talking_is_silent_after_five_heartbeats() -> None:
    line = tdp_line(heartbeat_ms=600)
    line.run(10_000)
    heard = line.session.heard_at
    assert heard is not None
    line.device.mute = True
    line.run(heard + 2_950 - line.now)
    assert line.session.heard_at == heard
    with pytest.raises(DeviceSilentError, match=r"no good frame for \d+ ms"):
        line.run(50)


def test_what_a_modem_prober_sends_is_counted_and_costs_no_card() -> None:
    line = tdp_line()
    line.heard(line.device.emit(AS) + b"AT\r\nERROR\r\n" + line.device.emit(KH))
    assert line.said()[1:] == [AS, KH]
    assert line.session.stats.bytes_dropped == 11


def test_noise_is_no_sign_of_life() -> None:
    line = tdp_line()
    line.device.mute = True
    line.run(4_000)
    line.heard(b"\x7enoise\x7e" * 50)
    with pytest.raises(DeviceSilentError):
        line.run(1_100)
    assert line.session.stats.frames_rejected == 50
    assert line.session.stats.bytes_dropped == 250


def test_an_unknown_kind_is_said_once_and_the_cards_around_it_arrive() -> None:
    line = tdp_line()
    line.commits = False
    card = EventFrame(1, 1, 0x12, b"\x27\x02\x00")
    send_frames(
        line,
        card,
        EventFrame(1, 2, 0x5A),
        EventFrame(1, 3, 0x5A),
        EventFrame(1, 4, 0x5A),
        EventFrame(1, 5, 0x15),
        EventFrame(1, 6, 0x5A),
    )
    assert line.said()[1:] == [AS, ev.DeviceUnknown(code=0x5A), ev.ShoeCut()]
    assert [r.counter for r in line.log[1:]] == [1, 2, 5]
    line.device.newest[1] = 7
    for counter, upto in ((1, 1), (2, 4), (5, 6)):
        line.device.kept = dict.fromkeys([(1, n) for n in range(1, 8)], ev.ShoeCut())
        line.turned(line.session.committed(line.now, 1, counter))
        assert min(line.device.kept) == (1, upto + 1)
    send_frames(line, EventFrame(1, 7, 0x5A))
    assert line.device.kept == {}


def test_an_unknown_frame_is_said_once_and_broken_or_echoed_ones_are_counted() -> None:
    line = tdp_line()
    send_frames(line, IdentifyFrame(1), IdentityFrame(9, "shoe", 1, 0, 1_000, "N42", "1"))
    line.heard(encode_frame(b"\x55") + encode_frame(b"\x55") + encode_frame(b"\x83\x00"))
    assert line.said()[1:] == [ev.DeviceUnknown(code=0x155)]
    assert line.session.stats.frames_rejected == 2
    assert line.session.stats.duplicates == 1

"""The TDP dialogue begins: who is there, and nothing is believed before (B01, B05)."""

import pytest

from pitwarden_client.events import device as ev
from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.errors import DeviceSilentError, IdentityMismatchError
from pitwarden_drivers.tdp import DRIVER
from pitwarden_drivers.tdp.frames_device import EventFrame, HeartbeatFrame, IdentityFrame
from pitwarden_drivers.tdp.frames_host import IdentifyFrame
from pitwarden_drivers.tdp.identity import IdentifyProbe, Responder
from pitwarden_drivers.tdp.wire import encode
from testkit.devices.tdp_device import SpecifiedDevice
from testkit.devices.tdp_line import AS, send_frames, tdp_line


def test_old_bytes_in_the_port_are_counted_and_never_believed() -> None:
    old = encode(
        EventFrame(1, 1, 0x12, b"\x27\x02\x00"),
        HeartbeatFrame(1, 1, 1),
        IdentityFrame(5, "shoe", 1, 1, 1_000, "N42", "1"),
    )
    session = DRIVER.session(ExpectedDevice("shoe", "N42"))
    asked = session.begin(1_000)
    assert session.receive(1_001, b"AS\r" + old).reports == ()
    assert session.stats.before_sync == 3 + len(old)
    before = session.identified, session.heard_at
    answer = SpecifiedDevice().receive(1_002, asked.send)
    (report,) = session.receive(1_002, answer).reports
    assert report.said == ev.DeviceIdentified(serial="N42", firmware="2.1.0", boot=1)
    assert session.stats.before_sync == 3 + len(old)
    assert (before, session.identified, session.heard_at) == ((False, None), True, 1_002)


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (ExpectedDevice("shoe", "N77"), "expected shoe N77, found shoe N42"),
        (ExpectedDevice("reader", "N42"), "expected reader N42, found shoe N42"),
        (ExpectedDevice("shoe", "N42", ("2.0.9", "2.0.8")), "firmware 2.1.0 is not one of 2.0.9, 2.0.8"),
        (ExpectedDevice("shoe", "N42", ("2.1.0",), 1, 5), "went back from 5 to 0 within one boot"),
    ],
)
def test_another_device_gets_no_command_and_is_not_believed(expected: ExpectedDevice, words: str) -> None:
    device = SpecifiedDevice()
    session = DRIVER.session(expected)
    answer = device.receive(0, session.begin(0).send)
    refused = session.command(0, "r1", "unlock")
    assert refused.send == b""
    assert [r.said for r in refused.reports] == [ev.DeviceCommand(request="r1", command="unlock", outcome="refused")]
    with pytest.raises(IdentityMismatchError, match=words):
        session.receive(0, answer + device.emit(AS))
    assert device.commands == []


def test_another_version_of_the_protocol_is_named() -> None:
    session = DRIVER.session(ExpectedDevice("shoe", "N42"))
    session.begin(7)
    with pytest.raises(IdentityMismatchError, match="speaks TDP 2, this driver TDP 1"):
        session.receive(7, encode(IdentityFrame(7, "shoe", 1, 0, 1_000, "N42", "1", version=2)))


def test_a_dead_port_is_asked_every_half_second_and_given_up_after_five() -> None:
    session = DRIVER.session(ExpectedDevice("shoe", "N42"))
    turn = session.begin(0)
    asked = [turn.send]
    while turn.wake_at is not None and turn.wake_at < 5_000:
        turn = session.tick(turn.wake_at)
        asked.append(turn.send)
    assert asked == [encode(IdentifyFrame(0))] * 10
    assert session.tick(4_900).send == b""
    with pytest.raises(DeviceSilentError, match="no identity reply in 5000 ms"):
        session.tick(5_000)


def test_a_device_that_sent_less_than_came_is_asked_who_it_is() -> None:
    line = tdp_line()
    line.heard(line.device.emit(AS))
    send_frames(line, HeartbeatFrame(1, 1, 0))
    assert line.session.identified
    line.device.newest[1] = 0
    with pytest.raises(IdentityMismatchError, match="went back from 1 to 0"):
        send_frames(line, HeartbeatFrame(1, 1, 0))


def test_the_identity_is_that_of_the_reply_to_this_query() -> None:
    asked = IdentifyProbe(7)
    others = (EventFrame(1, 1, 0x15), IdentityFrame(6, "reader", 1, 0, 1_000, "N9", "1"), IdentifyFrame(7))
    assert asked.receive(b"\xff\x00" + encode(*others)) is None
    assert asked.receive(encode(IdentityFrame(7, "shoe", 1, 0, 1_000, "N42", "2.1.0"))) == Responder(
        "shoe", "N42", "2.1.0"
    )

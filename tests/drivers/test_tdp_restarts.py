"""A device restarts: what it kept of earlier boots comes first, and in order (B02)."""

import pytest

from pitwarden_client.events import device as ev
from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.tdp.frames_device import BacklogFrame, EventFrame, IdentityFrame
from pitwarden_drivers.tdp.frames_host import IdentifyFrame
from pitwarden_drivers.tdp.frames_list import ListBeginFrame
from pitwarden_drivers.tdp.meaning import frames_for_event
from pitwarden_drivers.tdp.wire import Frame, encode
from testkit.devices.tdp_line import AS, KH, SEVEN, send_frames, tdp_line


def test_a_restart_in_the_midst_of_a_dialogue_is_said_and_the_same_counter_is_a_new_card() -> None:
    line = tdp_line(keeps=False)
    line.heard(line.device.emit(AS))
    line.heard(line.device.emit(KH))
    line.device.restart(2)
    line.heard(line.device.emit(AS))
    line.run(1_000)
    assert line.said() == [
        ev.DeviceIdentified(serial="N42", firmware="2.1.0", boot=1),
        AS,
        KH,
        ev.DeviceIdentified(serial="N42", firmware="2.1.0", boot=2),
        ev.DeviceRestarted(boot=2),
        AS,
    ]
    assert line.events() == [(1, 1), (1, 2), (2, 1)]


@pytest.mark.parametrize("frame", [EventFrame(9, 1, 0x15), ListBeginFrame(0x14, 9, 1, 1, 0)])
def test_an_event_of_an_unknown_boot_leads_to_an_identity_query(frame: Frame) -> None:
    line = tdp_line()
    turn = line.session.receive(line.now, encode(frame))
    assert turn.send == encode(IdentifyFrame(1_001))
    assert turn.reports == ()
    assert not line.session.identified


def test_a_device_without_memory_that_restarted_before_the_acknowledgement_says_so() -> None:
    line = tdp_line(keeps=False)
    line.to_host = lambda _data: b""
    line.heard(line.device.emit(AS))
    line.device.restart(2)
    line.to_host = lambda data: data
    line.run(1_000)
    assert ev.DeviceRestarted(boot=2) in line.said()
    assert line.events() == []


def test_events_of_an_earlier_boot_come_before_the_restart_is_said() -> None:
    line = tdp_line()
    line.heard(line.device.emit(AS))
    line.to_host = lambda _data: b""
    line.heard(line.device.emit(KH))
    line.device.restart(2)
    line.device.emit(SEVEN)
    line.device.restart(3)
    line.device.emit(AS)
    line.to_host = lambda data: data
    line.run(1_000)
    assert line.events() == [(1, 1), (1, 2), (2, 1), (3, 1)]
    restarts = [said for said in line.said() if isinstance(said, ev.DeviceRestarted)]
    assert [restart.boot for restart in restarts] == [2, 3]
    assert line.said()[-4:] == [ev.DeviceRestarted(boot=2), SEVEN, ev.DeviceRestarted(boot=3), AS]
    assert line.device.kept == {}


def test_the_last_event_of_an_earlier_boot_comes_again_when_it_got_lost() -> None:
    line = tdp_line()
    line.commits = False
    line.heard(line.device.emit(AS))
    line.to_host = lambda _data: b""
    line.heard(line.device.emit(KH))
    line.device.restart(2)
    lost = encode(*frames_for_event(1, 2, KH))
    line.to_host = lambda data: data.replace(lost, b"")
    line.run(1_000)
    line.to_host = lambda data: data
    assert line.events() == [(1, 1)]
    line.run(1_000)
    assert line.events() == [(1, 1), (1, 2)]
    assert line.said()[-1] == ev.DeviceRestarted(boot=2)


def test_a_device_whose_boots_lead_in_a_circle_is_followed_once_round() -> None:
    line = tdp_line(boot=3)
    line.log.clear()
    line.expected = ExpectedDevice("shoe", "N42", (), 1, 0)
    line.to_device = lambda _data: b""
    line.open()
    token = line.now
    send_frames(
        line, IdentityFrame(token, "shoe", 3, 0, 1_000, "N42", "1"), BacklogFrame(1, 1, 0, 2), BacklogFrame(2, 1, 0, 1)
    )
    restarts = [said.boot for said in line.said() if isinstance(said, ev.DeviceRestarted)]
    assert restarts == [2, 3]


def test_a_backlog_for_another_boot_or_of_nothing_known_is_a_stray() -> None:
    line = tdp_line()
    send_frames(line, BacklogFrame(8, 1, 0, 0), BacklogFrame(1, 0, 0, 0))
    assert line.session.stats.stray_replies == 2


def test_an_event_of_the_present_boot_waits_until_the_earlier_one_is_done() -> None:
    line = tdp_line()
    line.commits = False
    line.heard(line.device.emit(AS))
    line.device.emit(KH)
    line.device.restart(2)
    line.to_device = lambda _data: b""
    line.open()
    send_frames(line, IdentityFrame(line.now, "shoe", 2, 1, 1_000, "N42", "2.1.0"), EventFrame(2, 1, 0x15))
    assert line.events() == [(1, 1)]
    assert line.session.stats.frames_rejected == 1

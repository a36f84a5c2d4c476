"""The TDP dialogue by scenarios: field cases B01, B02, B05, B10, B14, B16, B19 and the rules of SPEC.md."""

import pytest

from bench_device import BenchDevice
from bench_line import Bench
from pitwarden.events import device as ev
from pitwarden_drivers.api import Expected, PlainCard, PlainStack, Secret
from pitwarden_drivers.faults import DeviceSilent, IdentityMismatch
from pitwarden_drivers.framing.stuffed import wrap
from pitwarden_drivers.tdp import DRIVER
from pitwarden_drivers.tdp.asking import Somebody, WhoIsThere
from pitwarden_drivers.tdp.meaning import frames_of
from pitwarden_drivers.tdp.wire import Frame, encode
from pitwarden_drivers.tdp.wire_device import Backlog, Event, Heartbeat, Identity, Reply
from pitwarden_drivers.tdp.wire_host import Command, Identify
from pitwarden_drivers.tdp.wire_list import Begin, End, Items

AS, KH, SEVEN = PlainCard(Secret(39)), PlainCard(Secret(38)), PlainCard(Secret(19))


def bench(**device: object) -> Bench:
    made = BenchDevice()
    for name, value in device.items():
        setattr(made, name, value)
    return Bench(made)


def say(line: Bench, *frames: Frame) -> None:
    """The device, or something like it, sends these frames."""
    line.heard(encode(*frames))


def test_old_bytes_in_the_port_are_counted_and_never_believed() -> None:
    old = encode(Event(1, 1, 0x12, b"\x27\x02\x00"), Heartbeat(1, 1, 1), Identity(5, "shoe", 1, 1, 1_000, "N42", "1"))
    session = DRIVER.session(Expected("shoe", "N42"))
    asked = session.begin(1_000)
    assert session.receive(1_001, b"AS\r" + old).reports == ()
    assert session.stats.before_sync == 3 + len(old)
    before = session.identified, session.heard_at
    answer = BenchDevice().receive(1_002, asked.send)
    (report,) = session.receive(1_002, answer).reports
    assert report.said == ev.DeviceIdentified(serial="N42", firmware="2.1.0", boot=1)
    assert session.stats.before_sync == 3 + len(old)
    assert (before, session.identified, session.heard_at) == ((False, None), True, 1_002)


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (Expected("shoe", "N77"), "expected shoe N77, found shoe N42"),
        (Expected("reader", "N42"), "expected reader N42, found shoe N42"),
        (Expected("shoe", "N42", ("2.0.9", "2.0.8")), "firmware 2.1.0 is not one of 2.0.9, 2.0.8"),
        (Expected("shoe", "N42", ("2.1.0",), 1, 5), "went back from 5 to 0 within one boot"),
    ],
)
def test_another_device_gets_no_command_and_is_not_believed(expected: Expected, words: str) -> None:
    device = BenchDevice()
    session = DRIVER.session(expected)
    answer = device.receive(0, session.begin(0).send)
    refused = session.command(0, "r1", "unlock")
    assert refused.send == b""
    assert [r.said for r in refused.reports] == [ev.DeviceCommand(request="r1", command="unlock", outcome="refused")]
    with pytest.raises(IdentityMismatch, match=words):
        session.receive(0, answer + device.say(AS))
    assert device.commands == []


def test_another_version_of_the_protocol_is_named() -> None:
    session = DRIVER.session(Expected("shoe", "N42"))
    session.begin(7)
    with pytest.raises(IdentityMismatch, match="speaks TDP 2, this driver TDP 1"):
        session.receive(7, encode(Identity(7, "shoe", 1, 0, 1_000, "N42", "1", version=2)))


def test_a_dead_port_is_asked_every_half_second_and_given_up_after_five() -> None:
    session = DRIVER.session(Expected("shoe", "N42"))
    turn = session.begin(0)
    asked = [turn.send]
    while turn.wake_at is not None and turn.wake_at < 5_000:
        turn = session.tick(turn.wake_at)
        asked.append(turn.send)
    assert asked == [encode(Identify(0))] * 10
    assert session.tick(4_900).send == b""
    with pytest.raises(DeviceSilent, match="no identity reply in 5000 ms"):
        session.tick(5_000)


def test_a_device_that_stops_talking_is_silent_after_five_heartbeats() -> None:
    line = bench(heartbeat_ms=600)
    line.run(10_000)
    heard = line.session.heard_at
    assert heard is not None
    line.device.mute = True
    line.run(heard + 2_950 - line.now)
    assert line.session.heard_at == heard
    with pytest.raises(DeviceSilent, match=r"no good frame for \d+ ms"):
        line.run(50)


def test_what_a_modem_prober_sends_is_counted_and_costs_no_card() -> None:
    line = bench()
    line.heard(line.device.say(AS) + b"AT\r\nERROR\r\n" + line.device.say(KH))
    assert line.said()[1:] == [AS, KH]
    assert line.session.stats.bytes_dropped == 11


def test_noise_is_no_sign_of_life() -> None:
    line = bench()
    line.device.mute = True
    line.run(4_000)
    line.heard(b"\x7enoise\x7e" * 50)
    with pytest.raises(DeviceSilent):
        line.run(1_100)
    assert line.session.stats.frames_rejected == 50
    assert line.session.stats.bytes_dropped == 250


def test_a_restart_in_the_midst_of_a_dialogue_is_said_and_the_same_counter_is_a_new_card() -> None:
    line = bench(keeps=False)
    line.heard(line.device.say(AS))
    line.heard(line.device.say(KH))
    line.device.restart(2)
    line.heard(line.device.say(AS))
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


@pytest.mark.parametrize("frame", [Event(9, 1, 0x15), Begin(0x14, 9, 1, 1, 0)])
def test_an_event_of_a_boot_that_nobody_spoke_of_leads_to_the_question_who_is_there(frame: Frame) -> None:
    line = bench()
    turn = line.session.receive(line.now, encode(frame))
    assert turn.send == encode(Identify(1_001))
    assert turn.reports == ()
    assert not line.session.identified


def test_a_device_without_memory_that_restarted_before_the_acknowledgement_says_so() -> None:
    line = bench(keeps=False)
    line.to_host = lambda _data: b""
    line.heard(line.device.say(AS))
    line.device.restart(2)
    line.to_host = lambda data: data
    line.run(1_000)
    assert ev.DeviceRestarted(boot=2) in line.said()
    assert line.events() == []


def test_events_of_an_earlier_boot_come_before_the_restart_is_said() -> None:
    line = bench()
    line.heard(line.device.say(AS))
    line.to_host = lambda _data: b""
    line.heard(line.device.say(KH))
    line.device.restart(2)
    line.device.say(SEVEN)
    line.device.restart(3)
    line.device.say(AS)
    line.to_host = lambda data: data
    line.run(1_000)
    assert line.events() == [(1, 1), (1, 2), (2, 1), (3, 1)]
    restarts = [said for said in line.said() if isinstance(said, ev.DeviceRestarted)]
    assert [restart.boot for restart in restarts] == [2, 3]
    assert line.said()[-4:] == [ev.DeviceRestarted(boot=2), SEVEN, ev.DeviceRestarted(boot=3), AS]
    assert line.device.kept == {}


def test_the_last_event_of_an_earlier_boot_comes_again_when_it_got_lost() -> None:
    line = bench()
    line.commits = False
    line.heard(line.device.say(AS))
    line.to_host = lambda _data: b""
    line.heard(line.device.say(KH))
    line.device.restart(2)
    lost = encode(*frames_of(1, 2, KH))
    line.to_host = lambda data: data.replace(lost, b"")
    line.run(1_000)
    line.to_host = lambda data: data
    assert line.events() == [(1, 1)]
    line.run(1_000)
    assert line.events() == [(1, 1), (1, 2)]
    assert line.said()[-1] == ev.DeviceRestarted(boot=2)


def test_a_device_whose_boots_lead_in_a_circle_is_followed_once_round() -> None:
    line = bench(boot=3)
    line.log.clear()
    line.expected = Expected("shoe", "N42", (), 1, 0)
    line.to_device = lambda _data: b""
    line.open()
    token = line.now
    say(line, Identity(token, "shoe", 3, 0, 1_000, "N42", "1"), Backlog(1, 1, 0, 2), Backlog(2, 1, 0, 1))
    restarts = [said.boot for said in line.said() if isinstance(said, ev.DeviceRestarted)]
    assert restarts == [2, 3]


def test_what_the_device_no_longer_has_is_a_gap_and_nothing_else_is() -> None:
    line = bench()
    line.to_host = lambda _data: b""
    for card in (AS, KH, SEVEN, AS):
        line.heard(line.device.say(card))
    line.device.forget(1, 1)
    line.device.forget(1, 2)
    line.to_host = lambda data: data
    line.run(1_000)
    assert line.said()[1:] == [ev.DeviceGap(first=1, last=2), SEVEN, AS]
    assert line.log[1].counter == 2
    assert line.device.kept == {}


def test_a_question_that_got_lost_is_asked_again_after_half_a_second() -> None:
    line = bench()
    line.commits = False
    line.heard(line.device.say(AS))
    line.to_device = lambda data: data if data == encode(Identify(line.now)) else b""
    line.open()
    say(line, Heartbeat(1, 1, 0))
    line.to_device = lambda data: data
    line.heard(line.device.say(KH))
    line.run(500)
    assert line.events() == [(1, 1), (1, 2)]


def test_a_lost_card_comes_again_at_the_next_card_or_the_next_heartbeat() -> None:
    line = bench()
    line.run(1_000)
    line.to_host = lambda _data: b""
    line.heard(line.device.say(AS))
    line.to_host = lambda data: data
    line.heard(line.device.say(KH))
    assert line.said()[-2:] == [AS, KH]
    line.to_host = lambda _data: b""
    line.heard(line.device.say(SEVEN))
    line.to_host = lambda data: data
    line.run(1_000)
    assert line.said()[-3:] == [AS, KH, SEVEN]


def test_a_device_that_skips_a_number_is_not_believed_for_ever() -> None:
    line = bench()
    skipping: list[Frame] = [Event(1, 2, 0x15), Backlog(1, 1, 0, 0)]
    with pytest.raises(DeviceSilent, match="never sent event 1, asked 10 times"):
        say(line, *(skipping * 20))


def test_a_short_stack_never_passes_as_whole_and_comes_again() -> None:
    line = bench()
    stack = PlainStack(3, (Secret(1), Secret(2), Secret(3)))
    whole = line.device.say(stack)
    frames = whole.split(b"\x7e\x7e")
    line.heard(b"\x7e\x7e".join((frames[0], frames[2])))
    assert line.said()[1:] == [stack]
    assert line.log[1].counter == 1


def test_a_stack_under_way_is_dropped_by_any_event_and_doubles_are_counted() -> None:
    line = bench()
    say(line, Begin(0x14, 1, 1, 2, 0), Items(1, 0, b"\x01"), Event(1, 1, 0x15), Items(1, 1, b"\x02"), End(1))
    assert line.said()[1:] == [ev.ShoeCut()]
    say(line, Begin(0x14, 1, 1, 2, 0), Event(1, 1, 0x15), End(1))
    assert line.session.stats.duplicates == 2


def test_a_stack_whose_end_is_lost_comes_again_after_the_next_heartbeat() -> None:
    line = bench()
    stack = PlainStack(2, (Secret(1), Secret(2)))
    line.heard(line.device.say(stack).removesuffix(encode(End(1))))
    assert line.events() == []
    line.run(1_000)
    assert line.said()[1:] == [stack]


def test_a_heartbeat_in_the_midst_of_a_stack_is_harmless() -> None:
    line = bench()
    stack = PlainStack(2, (Secret(1), Secret(2)))
    first, *rest = line.device.say(stack).split(b"\x7e\x7e")
    line.heard(first + b"\x7e" + encode(Heartbeat(1, 1, 0)) + b"\x7e" + b"\x7e\x7e".join(rest))
    assert line.said()[1:] == [stack]


def test_nothing_is_acknowledged_before_it_is_stored_and_a_lost_acknowledgement_is_repeated() -> None:
    line = bench()
    line.commits = False
    line.heard(line.device.say(AS))
    line.heard(line.device.say(KH))
    assert len(line.device.kept) == 2
    line.to_device = lambda _data: b""
    line.turned(line.session.committed(line.now, 1, 1))
    line.to_device = lambda data: data
    line.run(1_000)
    assert list(line.device.kept) == [(1, 2)]


def test_what_was_stored_while_the_line_was_down_is_acknowledged_on_the_next_dialogue() -> None:
    line = bench()
    line.commits = False
    line.heard(line.device.say(AS))
    line.to_device = lambda _data: b""
    line.open()
    assert line.session.committed(line.now, 1, 1).send == b""
    line.to_device = lambda data: data
    line.run(1_000)
    assert line.device.kept == {}


def test_an_unknown_kind_is_said_once_and_the_cards_around_it_arrive() -> None:
    line = bench()
    line.commits = False
    card = Event(1, 1, 0x12, b"\x27\x02\x00")
    say(line, card, Event(1, 2, 0x5A), Event(1, 3, 0x5A), Event(1, 4, 0x5A), Event(1, 5, 0x15), Event(1, 6, 0x5A))
    assert line.said()[1:] == [AS, ev.DeviceUnknown(code=0x5A), ev.ShoeCut()]
    assert [r.counter for r in line.log[1:]] == [1, 2, 5]
    line.device.newest[1] = 7
    for counter, upto in ((1, 1), (2, 4), (5, 6)):
        line.device.kept = dict.fromkeys([(1, n) for n in range(1, 8)], ev.ShoeCut())
        line.turned(line.session.committed(line.now, 1, counter))
        assert min(line.device.kept) == (1, upto + 1)
    say(line, Event(1, 7, 0x5A))
    assert line.device.kept == {}


def test_an_unknown_frame_is_said_once_and_broken_or_echoed_ones_are_counted() -> None:
    line = bench()
    say(line, Identify(1), Identity(9, "shoe", 1, 0, 1_000, "N42", "1"))
    line.heard(wrap(b"\x55") + wrap(b"\x55") + wrap(b"\x83\x00"))
    assert line.said()[1:] == [ev.DeviceUnknown(code=0x155)]
    assert line.session.stats.frames_rejected == 2
    assert line.session.stats.duplicates == 1


def test_a_late_reply_is_a_stray_and_answers_no_other_question() -> None:
    line = bench()
    line.to_host = lambda _data: b""
    line.turned(line.session.command(line.now, "a", "report_count"))
    line.run(2_000)
    assert line.said()[1:] == [ev.DeviceCommand(request="a", command="report_count", outcome="timeout")]
    line.to_host = lambda data: data
    line.device.mute = True
    line.turned(line.session.command(line.now, "b", "lock"))
    line.device.mute = False
    a, b = line.device.commands
    say(line, Begin(3, 0, a.request, 2, 0), Reply(a.request, 0), Reply(b.request, 9), Reply(b.request, 0))
    assert line.said()[2:] == [ev.DeviceCommand(request="b", command="lock", outcome="done")]
    assert line.session.stats.stray_replies == 3
    for n in range(20):
        line.turned(line.session.command(line.now, f"c{n}", "lock"))
    assert [said for said in line.said()[3:] if isinstance(said, ev.DeviceCommand) and said.outcome == "done"] == (
        [ev.DeviceCommand(request=f"c{n}", command="lock", outcome="done") for n in range(20)]
    )


@pytest.mark.parametrize(("result", "outcome"), [(0, "done"), (1, "refused"), (2, "refused"), (3, "timeout")])
def test_a_command_has_the_outcome_that_the_device_gives(result: int, outcome: str) -> None:
    line = bench(result=result)
    line.turned(line.session.command(line.now, "u", "unlock"))
    assert [said.outcome for said in line.said() if isinstance(said, ev.DeviceCommand)] == [outcome]


def test_a_command_that_lay_in_a_buffer_is_not_done_late() -> None:
    line = bench()
    held: list[bytes] = []
    line.to_device = lambda data: held.append(data) or b""  # type: ignore[func-returns-value]  # append gives None
    line.turned(line.session.command(line.now, "u", "unlock"))
    line.run(1_900)
    assert Command(1_000, 2, 3_001) not in line.device.commands
    line.run(200)
    line.device.receive(line.now, b"".join(held))
    assert line.device.commands == []
    line.to_device = lambda data: data
    line.turned(line.session.command(line.now, "u2", "unlock"))
    assert [said.outcome for said in line.said() if isinstance(said, ev.DeviceCommand)] == ["timeout", "done"]
    assert line.device.commands == [Command(1_001, 2, line.now + 1 + 2_000)]


def test_a_device_without_a_clock_gets_commands_without_a_limit() -> None:
    line = bench()
    say(line, Heartbeat(1, 1, 0))
    line.turned(line.session.command(line.now, "u", "unlock"))
    assert line.device.commands == [Command(1_000, 2, 0)]


def test_a_count_is_the_sum_of_the_compartments() -> None:
    line = bench()
    line.turned(line.session.command(line.now, "c", "report_count"))
    assert line.said()[1:] == [
        ev.DeviceCount(request="c", count=52),
        ev.DeviceCommand(request="c", command="report_count", outcome="done"),
    ]


def test_a_count_that_comes_short_is_no_count_and_the_command_times_out() -> None:
    line = bench(held=bytes(500))
    cut = encode(Items(1_000, 200, bytes(200)))
    line.to_host = lambda data: data.replace(cut, b"")
    line.turned(line.session.command(line.now, "c", "report_count"))
    assert line.said()[1:] == []
    line.run(2_000)
    assert line.said()[1:] == [ev.DeviceCommand(request="c", command="report_count", outcome="timeout")]


def test_too_many_commands_at_once_are_refused() -> None:
    line = bench()
    line.to_device = lambda _data: b""
    for n in range(17):
        line.turned(line.session.command(line.now, f"c{n}", "lock"))
    assert line.said()[1:] == [ev.DeviceCommand(request="c16", command="lock", outcome="refused")]


def test_a_backlog_for_another_boot_or_of_nothing_known_is_a_stray() -> None:
    line = bench()
    say(line, Backlog(8, 1, 0, 0), Backlog(1, 0, 0, 0))
    assert line.session.stats.stray_replies == 2


def test_a_device_that_sent_less_than_came_is_asked_who_it_is() -> None:
    line = bench()
    line.heard(line.device.say(AS))
    say(line, Heartbeat(1, 1, 0))
    assert line.session.identified
    line.device.newest[1] = 0
    with pytest.raises(IdentityMismatch, match="went back from 1 to 0"):
        say(line, Heartbeat(1, 1, 0))


def test_an_event_of_the_present_boot_waits_until_the_earlier_one_is_done() -> None:
    line = bench()
    line.commits = False
    line.heard(line.device.say(AS))
    line.device.say(KH)
    line.device.restart(2)
    line.to_device = lambda _data: b""
    line.open()
    say(line, Identity(line.now, "shoe", 2, 1, 1_000, "N42", "2.1.0"), Event(2, 1, 0x15))
    assert line.events() == [(1, 1)]
    assert line.session.stats.frames_rejected == 1


def test_who_is_there_is_whoever_answers_this_very_question() -> None:
    asked = WhoIsThere(7)
    others = (Event(1, 1, 0x15), Identity(6, "reader", 1, 0, 1_000, "N9", "1"), Identify(7))
    assert asked.receive(b"\xff\x00" + encode(*others)) is None
    assert asked.receive(encode(Identity(7, "shoe", 1, 0, 1_000, "N42", "2.1.0"))) == Somebody("shoe", "N42", "2.1.0")

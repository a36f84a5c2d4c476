"""Escalation by a stepped clock: each step once, the next after a failure, one call a cause, none by a simulation."""

from pitwarden_console.alarms.escalation import CalledSteps, CallOrder, CallStep, Escalation, WaitingAlarm
from pitwarden_console.alarms.sound import AlarmName
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import Priority

KEY = TableKey("Pit A", "silent", "tab-shielded")
STEPS = (
    CallStep("pit-manager", {1: 30_000, 2: 180_000}),
    CallStep("shift-manager", {1: 120_000, 2: 600_000}),
    CallStep("surveillance", {1: 300_000}),
)


def waiting(ref: str, priority: Priority = 1, seen_ms: int | None = None, cause: str = "") -> WaitingAlarm:
    return WaitingAlarm(AlarmName(KEY, ref), priority, ref, 0, seen_ms, cause)


def called(escalation: Escalation, alarm: WaitingAlarm, times: list[int]) -> dict[int, list[str]]:
    made = {at_ms: [order.recipient for order in begun(escalation, [alarm], at_ms)] for at_ms in times}
    return {at_ms: names for at_ms, names in made.items() if names}


def begun(escalation: Escalation, alarms: list[WaitingAlarm], at_ms: int) -> list[CallOrder]:
    """Return the calls that are due, after they have begun."""
    orders = list(escalation.due(alarms, at_ms))
    for order in orders:
        escalation.begun(order, at_ms)
    return orders


def test_each_step_is_called_once_at_its_time() -> None:
    seconds = list(range(0, 400_000, 1_000))
    assert called(Escalation(STEPS, {}), waiting("a"), seconds) == {
        30_000: ["pit-manager"], 120_000: ["shift-manager"], 300_000: ["surveillance"],
    }  # fmt: skip
    assert called(Escalation(STEPS, {}), waiting("a", 2), list(range(0, 2_000_000, 1_000))) == {
        180_000: ["pit-manager"], 600_000: ["shift-manager"],
    }  # fmt: skip
    assert called(Escalation(STEPS, {}), waiting("a", 3), seconds) == {}


def test_an_acknowledgment_ends_the_steps_and_an_open_alarm_goes_one_up_after_ten_minutes() -> None:
    escalation = Escalation(STEPS, {})
    assert called(escalation, waiting("a"), [30_000]) == {30_000: ["pit-manager"]}
    minutes = [60_000 * number for number in range(1, 40)]
    assert called(escalation, waiting("a", seen_ms=60_000), minutes) == {
        660_000: ["shift-manager"], 1_260_000: ["surveillance"],
    }  # fmt: skip


def test_a_failed_call_passes_to_the_next_step_at_once() -> None:
    escalation = Escalation(STEPS, {})
    [order] = begun(escalation, [waiting("a")], 30_000)
    escalation.failed(order)
    [next_one] = begun(escalation, [waiting("a")], 31_000)
    assert next_one.recipient == "shift-manager"
    assert begun(escalation, [waiting("a")], 32_000) == []


def test_a_failure_passes_on_to_the_next_step_of_that_priority() -> None:
    steps = (STEPS[0], STEPS[2], STEPS[1])
    escalation = Escalation(steps, {})
    [order] = begun(escalation, [waiting("a", 2)], 180_000)
    escalation.failed(order)
    assert [one.recipient for one in begun(escalation, [waiting("a", 2)], 181_000)] == ["shift-manager"]


def test_a_late_failure_does_not_pass_over_the_step_that_was_called_since() -> None:
    escalation = Escalation(STEPS, {})
    [first] = begun(escalation, [waiting("a")], 110_000)
    assert [one.recipient for one in begun(escalation, [waiting("a")], 120_000)] == ["shift-manager"]
    escalation.failed(first)
    assert begun(escalation, [waiting("a")], 135_000) == []


def test_when_no_one_is_reached_the_last_one_is_called_until_he_is() -> None:
    escalation = Escalation(STEPS, {})
    made = []
    for at_ms in range(30_000, 240_000, 1_000):
        for order in begun(escalation, [waiting("a")], at_ms):
            made.append((at_ms, order.recipient))
            if at_ms < 152_000:
                escalation.failed(order)
    assert made == [
        (30_000, "pit-manager"), (31_000, "shift-manager"), (32_000, "surveillance"), (92_000, "surveillance"),
        (152_000, "surveillance"),
    ]  # fmt: skip


def test_a_reminder_that_fails_is_passed_on_but_not_a_call_from_before_the_acknowledgment() -> None:
    escalation = Escalation(STEPS, {})
    [order] = begun(escalation, [waiting("a")], 30_000)
    escalation.failed(order)
    seen = waiting("a", seen_ms=30_500)
    assert begun(escalation, [seen], 31_000) == []
    [reminder] = begun(escalation, [seen], 630_500)
    assert reminder.recipient == "shift-manager"
    escalation.failed(reminder)
    assert [one.recipient for one in begun(escalation, [seen], 631_500)] == ["surveillance"]


def test_a_call_that_has_not_begun_is_due_again() -> None:
    escalation = Escalation(STEPS, {})
    assert escalation.due([waiting("a")], 30_000) == escalation.due([waiting("a")], 30_000) != []


def test_an_alarm_of_which_nothing_is_known_keeps_its_steps() -> None:
    escalation = Escalation(STEPS, {AlarmName(KEY, "a"): CalledSteps(1, 30_000)})
    assert escalation.due([], 31_000, unknown=lambda _: True) == []
    assert escalation.due([waiting("a")], 60_000) == [], "not from the first step again"


def test_reminders_of_a_long_time_are_one_after_a_restart() -> None:
    escalation = Escalation(STEPS, {AlarmName(KEY, "a"): CalledSteps(1, 30_000)})
    seen = waiting("a", seen_ms=60_000)
    assert called(escalation, seen, [3_600_000, 3_601_000, 3_602_000]) == {3_600_000: ["shift-manager"]}


def test_alarms_of_one_cause_are_one_call_but_never_those_of_priority_1() -> None:
    alarms = [waiting(ref, 2, cause="deck B") for ref in "abc"] + [waiting(ref, 1, cause="deck B") for ref in "de"]
    orders = Escalation(STEPS, {}).due(alarms, 180_000)
    manager = [order.alarms for order in orders if order.recipient == "pit-manager"]
    assert sorted(len(found) for found in manager) == [1, 1, 3]


def test_what_ended_and_opens_again_begins_at_the_first_step() -> None:
    escalation = Escalation(STEPS, {AlarmName(KEY, "a"): CalledSteps(1, 30_000)})
    assert escalation.due([waiting("a")], 60_000) == [], "called before the restart"
    assert escalation.due([], 61_000) == []
    assert [order.recipient for order in escalation.due([waiting("a")], 62_000)] == ["pit-manager"]

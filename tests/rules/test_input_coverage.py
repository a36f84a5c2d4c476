"""An honest night at each level of what a table keys, from the shoe alone to everything: not one false alarm."""

from dataclasses import replace

import pytest

from pitwarden.rules import LogEntry, RuleOutput, initial_state, step
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Refused
from testkit.nights.arbitrary_rows import NIGHTS, SETUPS, night

ROUND = ("kp.round_end",)
STARTS = ("kp.boxes", "kp.deal", "kp.no_more_bets", *ROUND)
WINDOWS = ("kp.close", "kp.open", "kp.hole_up", "kp.dealer_reveal", "kp.dealer", *STARTS)
STEPS = ("kp.ib_settled", "kp.antes_collected", "kp.insurance_settled", "kp.bonus_settled", "kp.reveal", *WINDOWS)
DECISIONS = ("kp.decision", "kp.dealer_draw", "kp.drawn_in_error", *WINDOWS)
LEVELS = {"shoe": (), "rounds": ROUND, "starts": STARTS, "windows": WINDOWS, "steps": STEPS, "decisions": DECISIONS}


def keyed_only(rows: tuple[LogEntry, ...], acts: tuple[str, ...]) -> list[LogEntry]:
    """`rows` without the dealer's keys that are not in `acts`, numbered anew."""
    said = [(row, row.data.act.act if isinstance(row.data, InputLogged) else "") for row in rows]
    kept = [row for row, act in said if not act.startswith("kp.") or act in acts]
    return [replace(row, number=number) for number, row in enumerate(kept, start=1)]


@pytest.mark.parametrize("name", NIGHTS)
@pytest.mark.parametrize("level", LEVELS)
def test_what_is_not_keyed_is_no_alarm(name: str, level: str) -> None:
    state = initial_state(replace(SETUPS[name], inputs=frozenset(LEVELS[level])))
    said: list[RuleOutput] = []
    for row in keyed_only(night(name, 6), LEVELS[level]):
        state, outputs = step(state, row)
        said += outputs
    alarms = [one for one in said if isinstance(one, Irregularity | Refused | CheckFailed)]
    assert alarms == []
    assert not [one for one in said if isinstance(one, Duty) and one.status == "overdue"]

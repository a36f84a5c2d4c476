"""What was published stands: outputs of a log's prefix are cleared, refuted or superseded later, never contradicted.

Precisely: an irregularity is said anew only with another status, along the arrows below; all else that it said stays. A
duty goes from due to overdue to done. A card is revealed once, with the face that its row holds. The public state is
what the outputs so far say is open. Only a retraction supersedes more: it may say a case of its author's round anew.
"""

from dataclasses import dataclass, field, replace
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pitwarden.rules import (
    AnswerDue,
    LogEntry,
    RevealDue,
    RuleOutput,
    RulesState,
    SnapshotError,
    initial_state,
    public_state,
    state_from_bytes,
    state_to_bytes,
    step,
)
from pitwarden_client.events.floor import Retract
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Duty, Irregularity
from pitwarden_simulators.table.setup import TABLES
from testkit.nights.arbitrary_rows import SETUPS, disturbed, night

LATER: Final = {
    "open": {"acknowledged", "cleared", "refuted", "withdrawn"},
    "acknowledged": {"cleared", "refuted", "withdrawn"},
    "cleared": {"refuted"},  # a sensor that erred may be found out late
    "refuted": set(),
    "withdrawn": set(),
}
DUTY_LATER: Final = {"due": {"overdue", "done"}, "overdue": {"done"}, "done": set()}
PHASES = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]


@dataclass
class Reader:
    """A consumer that keeps what was said and holds each new output against it."""

    cases: dict[str, Irregularity] = field(default_factory=dict)
    duties: dict[str, Duty] = field(default_factory=dict)
    shown: set[tuple[str, int, int]] = field(default_factory=set)
    faces: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def hear(self, row: LogEntry, outputs: tuple[RuleOutput, ...]) -> None:
        self.faces |= {(row.epoch, row.number, at): face for at, face in enumerate(row.faces)}
        retracts = isinstance(row.data, InputLogged) and isinstance(row.data.act, Retract)
        for one in outputs:
            match one:
                case Irregularity():
                    self._case(one, superseded=retracts)
                case Duty():
                    self._duty(one, superseded=retracts)
                case RevealDue():
                    place = (one.epoch, one.event, one.index)
                    assert place not in self.shown
                    assert self.faces[place] == one.face
                    self.shown.add(place)
                case AnswerDue():
                    assert (one.epoch, one.event, -1) not in self.shown
                    self.shown.add((one.epoch, one.event, -1))
                case _:
                    pass

    def agrees_with(self, state: RulesState) -> None:
        """Check that the retained state agrees with the outputs."""
        public = public_state(state)
        live = [case for case in self.cases.values() if case.status in {"open", "acknowledged"}]
        assert {case.ref: case for case in live} == {case.ref: case for case in public.irregularities}
        due = [duty for duty in self.duties.values() if duty.status != "done"]
        assert {duty.ref: duty for duty in due} == {duty.ref: duty for duty in public.duties}

    def _case(self, one: Irregularity, *, superseded: bool) -> None:
        known = self.cases.get(one.ref)
        self.cases[one.ref] = one
        if known is None:
            assert one.status == "open" or superseded
        elif not superseded:
            assert one.status in LATER[known.status]
            assert one == known.model_copy(update={"status": one.status, "by": one.by})

    def _duty(self, one: Duty, *, superseded: bool) -> None:
        known = self.duties.get(one.ref)
        self.duties[one.ref] = one
        if known is None:
            assert one.status in {"due", "overdue"}
        elif not superseded:
            assert one.status in DUTY_LATER[known.status]
            assert one == known.model_copy(update={"status": one.status})


@st.composite
def nights(draw: st.DrawFn) -> tuple[str, tuple[LogEntry, ...]]:
    """Generate a disturbed night in which people take back some of their inputs."""
    name, rows = draw(disturbed())
    made: list[LogEntry] = []
    for row in rows:
        made.append(replace(row, number=len(made) + 1))
        if isinstance(row.data, InputLogged) and draw(st.integers(0, 9)) == 0:
            data = row.data.model_copy(update={"act": Retract(number=len(made)), "input_id": f"r{len(made)}"})
            made.append(replace(row, number=len(made) + 1, data=data))
    return name, tuple(made)


@settings(max_examples=10, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(nights())
def test_published_outputs_stay_and_a_row_received_again_gives_none(
    case: tuple[str, tuple[LogEntry, ...]],
) -> None:
    name, rows = case
    state, reader = initial_state(SETUPS[name]), Reader()
    restarted = 0
    for at, row in enumerate(rows):
        state, outputs = step(state, row)
        reader.hear(row, outputs)
        reader.agrees_with(state)
        again = rows[(at * 7919) % (at + 1)]
        assert step(state, again) == (state, ())
        if restarted < 2:
            try:
                state = state_from_bytes(state_to_bytes(state), SETUPS[name])
                restarted += at > len(rows) // 2
            except SnapshotError:
                assert state.round.open


@pytest.mark.parametrize("name", TABLES)
def test_a_night_with_every_fault_contradicts_nothing(name: str) -> None:
    state, reader = initial_state(SETUPS[name]), Reader()
    for row in night(name, 3, faults=True):
        state, outputs = step(state, row)
        reader.hear(row, outputs)
        if outputs:
            reader.agrees_with(state)
    said = {case.status for case in reader.cases.values()}
    assert "cleared" in said
    assert len(reader.cases) > 4

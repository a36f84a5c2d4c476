"""`step` on any well-formed row in any state: it never fails, repeats itself exactly, and voids nothing by itself."""

from dataclasses import replace

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pitwarden.rules import (
    DeckSetup,
    DeviceSetup,
    LogEntry,
    RuleOutput,
    RulesState,
    SnapshotError,
    TableSetup,
    initial_state,
    load_profile,
    public_state,
    state_from_bytes,
    state_to_bytes,
    step,
)
from pitwarden.rules.profile.library import NAMES, default_decks
from pitwarden_client.events.outputs import CheckFailed, Irregularity
from testkit.nights.arbitrary_rows import SETUPS, any_entry, disturbed

# The catalogue's count of what a text ends, A11: thirteen clauses end a round, four take a deck from the table.
MAY_END_A_ROUND = {
    "TAB-36", "TAB-37", "TAB-39", "TAB-47", "DAB-15", "DAB-16", "DAB-18", "DAB-26", "CB-16", "CB-22", "CB-35", "CB-36",
    "CB-38",
}  # fmt: skip
MAY_REMOVE_A_DECK = {"CB-16", "CB-17", "CB-22", "CB-23"}
PHASES = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]  # explaining a failure takes minutes
slow = settings(max_examples=40, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))


def fold(state: RulesState, rows: tuple[LogEntry, ...]) -> tuple[RulesState, list[tuple[RuleOutput, ...]]]:
    said = []
    for row in rows:
        state, outputs = step(state, row)
        said.append(outputs)
    return state, said


@slow
@given(disturbed())
def test_no_row_makes_a_check_or_a_move_fail(case: tuple[str, tuple[LogEntry, ...]]) -> None:
    name, rows = case
    state, said = fold(initial_state(SETUPS[name]), rows)
    assert [one for outputs in said for one in outputs if isinstance(one, CheckFailed)] == []
    assert state.unjudged == ""
    assert public_state(state).permit.expires_ms == state.log_ms + 30_000


OTHERS = {
    name: TableSetup(load_profile(name), 6, tuple(devices), (DeckSetup("A"),))
    for name, devices in (
        ("mississippi-stud", (DeviceSetup("shoe", "shoe"), DeviceSetup("shuffler", "shuffler"))),
        ("craps", ()),
    )
}
"""Games that no simulator plays."""


@settings(slow, max_examples=15)
@given(st.sampled_from(sorted(OTHERS)), st.lists(any_entry(), min_size=10, max_size=40))
def test_nothing_fails_at_a_game_that_is_not_played(name: str, rows: list[LogEntry]) -> None:
    numbered = tuple(replace(row, number=at, log_ms=at * 900) for at, row in enumerate(rows, start=1))
    state, said = fold(initial_state(OTHERS[name]), numbered)
    assert [one for outputs in said for one in outputs if isinstance(one, CheckFailed)] == []
    assert state.unjudged == ""


@slow
@given(disturbed())
def test_equal_rows_give_equal_outputs_and_repeated_rows_nothing(case: tuple[str, tuple[LogEntry, ...]]) -> None:
    name, rows = case
    state, said = fold(initial_state(SETUPS[name]), rows)
    again: RulesState = initial_state(SETUPS[name])
    for row, outputs in zip(rows, said, strict=True):
        again, first = step(again, row)
        assert first == outputs
        same, second = step(again, row)
        assert (same, second) == (again, ())
    assert again == state


@slow
@given(disturbed())
def test_only_clauses_with_a_text_end_a_round(case: tuple[str, tuple[LogEntry, ...]]) -> None:
    name, rows = case
    _, said = fold(initial_state(SETUPS[name]), rows)
    for one in (one for outputs in said for one in outputs if isinstance(one, Irregularity)):
        if {"VOID", "DEAD"} & set(one.verdicts):
            assert one.catalogue in MAY_END_A_ROUND
            assert one.clauses
            assert one.basis in {"text", "default"}
        if "DECK_OUT" in one.verdicts:
            assert one.catalogue in MAY_REMOVE_A_DECK
            assert one.basis in {"text", "default"}


def test_the_profiles_end_what_a_text_ends_and_nothing_else() -> None:
    profiles = [load_profile(name, default_decks(name)) for name in NAMES]
    rows = [
        (rule.clause, rule.basis, word)
        for rule in (rule for profile in profiles for rule in profile.rules)
        for _, words in rule.cases
        for word in words
    ]
    ending = {clause for clause, _, word in rows if word in {"VOID", "DEAD"}}
    removing = {clause for clause, _, word in rows if word == "DECK_OUT"}
    by_reference = {"CB-22"}  # 51.9(d) sends to 51.7(e): said under CB-16
    assert ending == MAY_END_A_ROUND - by_reference
    assert removing == MAY_REMOVE_A_DECK - by_reference
    assert {basis for _, basis, word in rows if word in {"VOID", "DEAD", "DECK_OUT"}} == {"text"}


@slow
@given(disturbed())
def test_refs_are_unique_and_each_life_is_one(case: tuple[str, tuple[LogEntry, ...]]) -> None:
    name, rows = case
    _, said = fold(initial_state(SETUPS[name]), rows)
    lives: dict[str, list[str]] = {}
    for one in (one for outputs in said for one in outputs if isinstance(one, Irregularity)):
        lives.setdefault(one.ref, []).append(one.status)
    for life in lives.values():
        assert life[0] == "open"
        assert life.count("cleared") <= 1
        assert life.count("acknowledged") <= 1


@slow
@given(disturbed())
def test_a_snapshot_between_rounds_is_the_state(case: tuple[str, tuple[LogEntry, ...]]) -> None:
    name, rows = case
    setup = SETUPS[name]
    state = initial_state(setup)
    taken = 0
    for row in rows:
        state, _ = step(state, row)
        try:
            data = state_to_bytes(state)
        except SnapshotError:
            assert state.round.open
            continue
        taken += 1
        if taken % 7 == 1:
            assert state_from_bytes(data, setup) == state
            assert state_to_bytes(state_from_bytes(data, setup)) == data

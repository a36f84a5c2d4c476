"""A round that no deck was named for, and counts that do not answer a void round: states that no scenario reaches."""

from dataclasses import replace
from typing import Literal

import pytest

from pitwarden.rules.checks.context import observe_row
from pitwarden.rules.engine.check_catalogue import CHECKS
from pitwarden.rules.frozen import replace as changed
from pitwarden.rules.setup.validation import SetupError, validate_setup
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.equipment import DeckState
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.transitions.hand_decks import settle_deck
from pitwarden_client.events.dealer_cards import KpHands
from pitwarden_client.events.table import ClockTick
from testkit.tables.rules_table import RulesTable, setup_of

DECKS = (DeckState("A", opening="table", shuffled=True), DeckState("B", opening="table", shuffled=True))


def from_the_hand(*, course: Literal["between", "settling"], unnamed: int = 0) -> RulesState:
    """Return a table where two decks are dealt from the hand, and no key has shown which of them."""
    state = RulesTable(setup_of("CB")).state
    played = changed(
        state.round, number=1, course=course, settlement=changed(state.round.settlement, counts=(3, 3), stub=31)
    )
    return replace(
        state, decks=DECKS, round=played, table=replace(state.table, mode="hand", unnamed=unnamed), now=state.now
    )


def test_what_is_collected_after_a_decision_is_the_deck_of_the_round() -> None:
    assert settle_deck(from_the_hand(course="settling"), "B").round.deck == "B"


@pytest.mark.parametrize("unnamed", [1, 2])
def test_a_deck_that_is_collected_later_was_dealt_in_a_round_that_nobody_named(unnamed: int) -> None:
    state = settle_deck(from_the_hand(course="between", unnamed=unnamed), "B")
    assert (state.table.unnamed, state.table.last_deck) == (unnamed - 1, "B")
    assert (state.deck("B").shuffled, state.deck("B").hand_dealt, state.deck("A").shuffled) == (False, True, True)


def test_without_such_a_round_a_collected_deck_changes_nothing() -> None:
    state = from_the_hand(course="between")
    assert settle_deck(state, "B") is state


def test_hands_that_are_counted_in_a_round_that_is_void_already_void_nothing_more() -> None:
    state = from_the_hand(course="settling")
    void = replace(state, round=changed(state.round, void=True))
    setup = state.setup
    due = next(one for one in CHECKS if one.id == "stub.hands").with_rows(setup.profile, setup.inputs)
    seen = observe_row(void, void, LogEntry("e1", 9, 0, 0, "field", ClockTick()))
    counted = seen._replace(act=KpHands(counts=(3, 2)), rule=due.rule, row=due.row)
    assert list(due.check(counted)) == []
    assert list(due.check(counted._replace(before=state))) != []


def test_an_act_of_two_persons_is_a_setting_that_a_table_may_have() -> None:
    setup = setup_of("TAB")
    listed = replace(setup, policy=replace(setup.policy, two_persons=("ft.ten_destroyed", "refute")))
    with pytest.raises(SetupError) as refused:  # the procedures are not on file
        validate_setup(listed)
    assert "two_persons" not in str(refused.value)

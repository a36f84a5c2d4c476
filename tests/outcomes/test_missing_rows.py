"""A wager that the game has no row for is nobody's to decide: it gets no outcome, and the others get theirs."""

from dataclasses import replace

from pitwarden_client.events.dealer_play import KpBoxes, KpDealerReveal, KpDecision, KpReveal
from pitwarden_client.events.dealer_wagers import KpNoMoreBets

from pitwarden.rules import State, load_profile
from pitwarden.rules.evaluation.craps import Dice, OnLayout, rolled
from pitwarden.rules.outcomes.announce import rolls
from pitwarden.rules.outcomes.terms import terms_of
from pitwarden.rules.outcomes.three_card_blitz import blitz
from testkit.tables.rules_table import RulesTable, setup_of


def without(state: State, key: str) -> State:
    rules = tuple(rule for rule in state.setup.profile.rules if rule.key != key)
    return replace(state, setup=replace(state.setup, profile=replace(state.setup.profile, rules=rules)))


def wagers(state: State) -> set[str]:
    return {one.wager for one in blitz(state, terms_of(state))}


def test_a_game_without_the_blind() -> None:
    table = RulesTable(setup_of("CB")).open()
    table.key(KpBoxes(boxes=(1,)))
    table.key(KpNoMoreBets())
    table.stack(cards="AC KC 4S 6H 7D 3D JH")
    table.stack(cards="AS 7S 10S 9H 9D 2C 3C")
    table.key(KpDecision(box=1, decision="play"))
    table.key(KpDealerReveal())
    table.key(KpReveal(box=1))
    whole = wagers(table.state)
    assert {"ante", "play", "blind"} <= whole
    assert wagers(without(table.state, "blind")) == whole - {"blind"}


def test_craps_without_the_pass_line() -> None:
    dice = Dice(wagers=(OnLayout("pass", 1), OnLayout("dont_pass", 2)))
    state = RulesTable(replace(setup_of("TAB"), profile=load_profile("craps"))).state
    state = replace(state, dice=rolled(dice, 7, hard=None, place_lose_on_comeout=False))
    assert [one.wager for one in rolls(state)] == ["pass", "dont_pass"]
    assert [one.wager for one in rolls(without(state, "pass"))] == ["dont_pass"]

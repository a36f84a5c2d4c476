"""A wager that the game has no row for is nobody's to decide: it gets no outcome, and the others get theirs."""

from dataclasses import replace

from pitwarden.rules import RulesState, load_profile
from pitwarden.rules.evaluation.craps import CrapsState, CrapsWager, apply_roll
from pitwarden.rules.outcomes.announce import craps_outcomes
from pitwarden.rules.outcomes.terms import wager_terms
from pitwarden.rules.outcomes.three_card_blitz import blitz_outcomes
from pitwarden_client.events.dealer_play import KpBoxes, KpDealerReveal, KpDecision, KpReveal
from pitwarden_client.events.dealer_wagers import KpNoMoreBets
from testkit.tables.rules_table import RulesTable, setup_of


def without(state: RulesState, key: str) -> RulesState:
    rules = tuple(rule for rule in state.setup.profile.rules if rule.key != key)
    return replace(state, setup=replace(state.setup, profile=replace(state.setup.profile, rules=rules)))


def wagers(state: RulesState) -> set[str]:
    return {one.wager for one in blitz_outcomes(state, wager_terms(state))}


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
    dice = CrapsState(wagers=(CrapsWager("pass", 1), CrapsWager("dont_pass", 2)))
    state = RulesTable(replace(setup_of("TAB"), profile=load_profile("craps"))).state
    state = replace(state, dice=apply_roll(dice, 7, hard=None, place_lose_on_comeout=False))
    assert [one.wager for one in craps_outcomes(state)] == ["pass", "dont_pass"]
    assert [one.wager for one in craps_outcomes(without(state, "pass"))] == ["dont_pass"]

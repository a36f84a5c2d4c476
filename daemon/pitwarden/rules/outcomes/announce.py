"""Announcement of outcomes: each wager once, on the row that decides it.

A later outcome of the same wager replaces the earlier one.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from pitwarden.rules.evaluation.craps import PLACED, CrapsWager
from pitwarden.rules.frozen import replace
from pitwarden.rules.outcomes import blackjack, ranked_hands, three_card_blitz
from pitwarden.rules.outcomes.terms import WagerTerms, wager_terms
from pitwarden.rules.profile.declared_reads import DeclaredRows, declared
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.profile.profile import GameProfile
from pitwarden.rules.queries.layout import without_option
from pitwarden.rules.state.entry import LogEntry, RuleOutput
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.dealer_wagers import KpDice
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Outcomes, WagerOutcome

DICE_ROWS: Final = ("come", "dont_come", "dont_pass", "four_hard", "pass", "place_lose", "place_win")
"""Keys of the rows on the wagers at craps, which are their names."""

ROWS: Final = declared(__name__, decides=DICE_ROWS)


def craps_outcomes(state: RulesState) -> Iterator[WagerOutcome]:
    """Yield the wagers that the latest roll decided; the text of our sources has no odds."""
    for one in state.dice.decided:
        bet, result = one.bet, one.result
        rule = ROWS(state, bet.wager)
        if rule is not None:
            yield WagerOutcome(
                hand=f"spot{bet.spot}", wager=craps_wager_name(bet), result=result, line=f"roll_{state.dice.rolls}",
                catalogue=rule.clause, clauses=rule.cites, basis=rule.basis,
            )  # fmt: skip


def craps_wager_name(bet: CrapsWager) -> str:
    """Return the name of the wager in an outcome: `pass`, or `place_win_6`."""
    return f"{bet.wager}_{bet.number}" if bet.wager in PLACED else bet.wager


# Bound of the contract on the wagers of one announcement.
MOST: Final = 128
_Maker = Callable[[RulesState, WagerTerms], Iterable[WagerOutcome]]
_MAKERS: Final[tuple[tuple[DeclaredRows, _Maker], ...]] = (
    (blackjack.ROWS, blackjack.bonus_outcomes),
    (blackjack.ROWS, blackjack.attack_outcomes),
    (blackjack.ROWS, blackjack.surrender_outcomes),
    (blackjack.ROWS, blackjack.insurance_outcomes),
    (three_card_blitz.ROWS, three_card_blitz.blitz_outcomes),
    (ranked_hands.ROWS, ranked_hands.ranked_outcomes),
)
_DECIDING: Final = frozenset({
    "kp.decision", "kp.dealer_draw", "kp.hole_up", "kp.option", "kp.dealer_reveal", "kp.reveal", "kp.close",
    "kp.choice", "kp.bonus_settled",
})  # fmt: skip
"""Inputs that may decide a wager without a card becoming public."""
_TAKING: Final = frozenset({
    "kp.drawn_in_error", "kp.face_up", "kp.skipped", "kp.ten", "kp.one_card", "kp.no_cards", "kp.option",
    "kp.misplaced", "kp.boxes",
})  # fmt: skip
"""Inputs that move a public card to another hand than it seemed to be in, or leave its hand in doubt."""


def announce_outcomes(state: RulesState, entry: LogEntry, out: list[RuleOutput]) -> RulesState:
    """Return `state` after the outcomes that this row decided were announced.

    None are announced in a void round: its wagers are returned.
    """
    act = entry.data.act.act if type(entry.data) is InputLogged else ""
    if state.dice.decided and _rolled(state, entry):
        out.append(Outcomes(round=min(state.dice.rolls, 9_999), wagers=tuple(craps_outcomes(state))[:MOST]))
    taking = act in _TAKING or bool(state.now.corrections)
    if not (state.now.reveals or taking or act in _DECIDING) or state.round.void:
        return state
    # The end of a round may have shown the cards that decide its wagers.
    if not state.round.open and not (state.now.reveals and fact("round_end") in state.now.facts):
        return state
    bets, terms = state.round.windows.bets, wager_terms(state)
    certain = replace(state, round=without_option(state.setup, state.round)) if state.round.deal.options else state
    said: list[WagerOutcome] = []
    for maker in _makers_of(terms.profile):
        said += maker(certain, terms)
    # Outcomes are cached (`terms._worded`), so an unchanged one is the same object: most rows end here without a
    # comparison.
    if not taking and set(map(id, bets.told)).issuperset(map(id, said)):
        return state
    known = {(one.hand, one.wager): one for one in bets.told}
    made = {(one.hand, one.wager): one for one in said}
    fallen = [key for key in known if key not in made] if taking else []
    new = [one for key, one in made.items() if known.get(key) is not one and known.get(key) != one]
    new += [_withdrawn(known.pop(key)) for key in fallen]
    if not new:
        return state
    out.append(Outcomes(round=min(state.round.number, 9_999), wagers=tuple(new[:MOST])))
    bets = replace(bets, told=tuple((known | made).values()))
    return replace(state, round=replace(state.round, windows=replace(state.round.windows, bets=bets)))


@lru_cache(maxsize=64)
def _makers_of(profile: GameProfile) -> tuple[_Maker, ...]:
    """Return what may announce an outcome in this game, in order."""
    return tuple(maker for rows, maker in _MAKERS if rows.decide_in(profile))


def changed_outcomes(old: RulesState, new: RulesState) -> tuple[Outcomes, ...]:
    """Return the announcement of what a retraction changes: outcomes that differ, and outcomes that are withdrawn."""
    before = {(one.hand, one.wager): one for one in (*old.round.windows.bets.told, *craps_outcomes(old))}
    after = {(one.hand, one.wager): one for one in (*new.round.windows.bets.told, *craps_outcomes(new))}
    fallen = [_withdrawn(one) for key, one in before.items() if key not in after]
    changed = (*(one for key, one in after.items() if before.get(key) != one), *fallen)[:MOST]
    return (Outcomes(round=min(new.round.number, 9_999), wagers=changed),) if changed else ()


def _rolled(state: RulesState, entry: LogEntry) -> bool:
    data = entry.data
    return isinstance(data, InputLogged) and isinstance(data.act, KpDice) and state.now.refused is None


def _withdrawn(said: WagerOutcome) -> WagerOutcome:
    return said.model_copy(update={"result": "withdrawn", "pays": "", "wins": None})

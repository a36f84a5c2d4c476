"""Outcomes of games whose hands are ranked as in poker, by the rows of the profile alone.

The row `ranked` names the wagers that are decided against the dealer's hand. `qualify` is the least hand with which the
dealer qualifies, and `unqualified` the result of each wager where the dealer does not.

A row with `by = "rank"` is a wager that the rank of the player's own hand decides by the pay table in force. With `on`,
it is paid on that wager of the box and loses nothing.

The row `fold` names the wagers that a folded hand loses (`loses`), and those for which it is turned (`turned_with`).
"""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.evaluation.blackjack import HandResult, Result
from pitwarden.rules.evaluation.poker import PokerRank, category_of, poker_rank
from pitwarden.rules.outcomes.terms import WagerTerms, turned_hand
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.pay_tables import PUSH
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.profile.ranked_rows import ORDER
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.outputs import WagerOutcome

ROWS: Final = declared(__name__, decides=("fold", "ranked"), by="rank")
_RESULTS: dict[str, Result] = {"win": "win", "lose": "lose", "push": "push", "returned": "returned"}


def ranked_outcomes(state: RulesState, terms: WagerTerms) -> Iterator[WagerOutcome]:
    """Yield the outcomes of each box as its hand is turned, and the losses of a folded hand."""
    rule = ROWS(state, "ranked")
    dealer = None if rule is None else _rank(state, "dealer")
    if rule is None or dealer is None:
        return
    for box in state.round.deal.active:
        folded = box in state.round.play.folded
        if folded:
            yield from _folded(state, terms, box)
        mine = _rank(state, f"box{box}")
        if mine is None:
            continue
        yield from _on_rank(state, terms, box, mine)
        if not folded:
            yield from _compared(terms, rule, box, (mine, dealer))


def is_qualified(rule: ClauseRule, dealer: PokerRank) -> bool:
    """Return whether the dealer's hand is at least the row's `qualify`: a rank's name, then ranks of single cards."""
    if not rule.words("qualify"):
        return True
    line, *ranks = rule.words("qualify")
    least = (category_of(dealer.size, line), tuple(ORDER.index(rank) for rank in ranks))
    return (dealer.category, dealer.values[: len(ranks)]) >= least


def _rank(state: RulesState, target: str) -> PokerRank | None:
    """Return the rank of a hand with the community cards, None until all of them are public."""
    hand, shared = turned_hand(state, target), turned_hand(state, "community")
    return None if hand is None or shared is None else poker_rank((*hand, *shared))


def _folded(state: RulesState, terms: WagerTerms, box: int) -> Iterator[WagerOutcome]:
    fold = ROWS(state, "fold")
    if fold is not None:
        for wager in fold.words("loses"):
            if terms.wagered(wager, box):
                yield terms.outcome(fold, f"box{box}", wager, HandResult("lose", "fold"))


def _compared(
    terms: WagerTerms, rule: ClauseRule, box: int, ranks: tuple[PokerRank, PokerRank]
) -> Iterator[WagerOutcome]:
    """Yield the outcomes of a box against the dealer; `ranks` are the box's and the dealer's."""
    mine, theirs = ranks
    result: Result = "push" if mine == theirs else "win" if mine > theirs else "lose"
    line = {"push": "equal", "win": "higher", "lose": "lower"}[result]
    unqualified = not is_qualified(rule, theirs)
    stated = dict(word.split(" ", 1) for word in rule.words("unqualified")) if unqualified else {}
    for wager in rule.words("wagers"):
        if not terms.wagered(wager, box):
            continue
        if wager in stated:
            yield terms.outcome(rule, f"box{box}", wager, HandResult(_RESULTS[stated[wager]], "dealer_not_qualified"))
        else:
            yield terms.outcome(rule, f"box{box}", wager, HandResult(result, line))


def _on_rank(state: RulesState, terms: WagerTerms, box: int, mine: PokerRank) -> Iterator[WagerOutcome]:
    """Yield the outcomes of wagers that the rank of the player's own hand decides."""
    fold = ROWS(state, "fold")
    lost = fold.words("loses") if fold is not None and box in state.round.play.folded else ()
    for rule in ROWS.which_name_it(state):
        on = str(rule.param("on", default=""))
        wager = on or rule.key
        if wager in lost or not terms.wagered(wager, box):
            continue
        made = _paid(state, rule.key, mine)
        if made is not None and (made.result != "lose" or not on):
            yield terms.outcome(rule, f"box{box}", rule.key, made, staked=wager)


def _paid(state: RulesState, wager: str, mine: PokerRank) -> HandResult | None:
    """Return the result by the pay table in force; None where the text has several that differ and none is chosen."""
    table = state.setup.pay_table(wager)
    tables = [table] if table is not None else [one for one in state.setup.profile.pay if one.wager == wager]
    made: set[HandResult] = set()
    for one in tables:
        line = next((line for line in mine.lines if one.pays(line)), "")
        result: Result = "push" if line and one.pays(line) == PUSH else "win" if line else "lose"
        made.add(HandResult(result, line or "none"))
    return made.pop() if len(made) == 1 else None

"""Outcomes in 3 Card Blitz, box by box as the hands are turned (13:69F-51.10(d), (e))."""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.evaluation.blackjack import HandResult, Result
from pitwarden.rules.evaluation.three_card_blitz import blind_line, flush_line, progressive_lines, suit_total
from pitwarden.rules.outcomes.terms import WagerTerms, turned_hand
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.pay_tables import PUSH
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.outputs import WagerOutcome

ROWS: Final = declared(__name__, decides=("blind", "flush_bonus", "fold", "progressive", "showdown"))


def blitz_outcomes(state: RulesState, terms: WagerTerms) -> Iterator[WagerOutcome]:
    """Yield Ante, Play and Blind against the dealer, Flush Bonus and Progressive, and the loss of a folded hand."""
    rule = ROWS(state, "showdown")
    dealer = None if rule is None else turned_hand(state, "dealer")
    if rule is None or dealer is None:
        return
    for box in state.round.deal.active:
        if box in state.round.play.folded:
            fold = ROWS(state, "fold")
            for wager in fold.words("loses") if fold is not None else ():
                yield terms.outcome(fold or rule, f"box{box}", wager, HandResult("lose", "fold"))
        hand = turned_hand(state, f"box{box}")
        if hand is None:
            continue
        yield from _bonuses(state, terms, box, hand)
        if box not in state.round.play.folded:
            yield from _showdown(state, terms, rule, box, (hand, dealer))


def _showdown(
    state: RulesState, terms: WagerTerms, rule: ClauseRule, box: int, hands: tuple[tuple[int, ...], tuple[int, ...]]
) -> Iterator[WagerOutcome]:
    """Yield the outcomes of a box against the dealer; `hands` are the box's and the dealer's cards."""
    mine, theirs = map(suit_total, hands)
    result: Result = "push" if mine == theirs else "win" if mine > theirs else "lose"
    line = {"push": "equal", "win": "higher", "lose": "lower"}[result]
    for wager in ("ante", "play"):
        yield terms.outcome(rule, f"box{box}", wager, HandResult(result, line))
    blind = ROWS(state, "blind")
    if blind is None:
        return
    made = _blind(state, hands[0]) if result == "win" else HandResult(result, line)
    if made is not None:
        yield terms.outcome(blind, f"box{box}", "blind", made)


def _blind(state: RulesState, hand: tuple[int, ...]) -> HandResult | None:
    """Return the Blind's result for a higher hand: paid, or a push (51.11(c)).

    None where the pay tables of the text differ on it and none is configured.
    """
    line, table = blind_line(hand), state.setup.pay_table("blind")
    tables = [table] if table is not None else [one for one in state.setup.profile.pay if one.wager == "blind"]
    # 51.11(c) has several tables, in which a total of 27 or 28 pays in some and pushes in others.
    pushes = {one.pays(line) == PUSH for one in tables}
    return HandResult("push" if pushes == {True} else "win", line) if len(pushes) == 1 else None


def _bonuses(state: RulesState, terms: WagerTerms, box: int, hand: tuple[int, ...]) -> Iterator[WagerOutcome]:
    for wager, lines in (("flush_bonus", (flush_line(hand),)), ("progressive", progressive_lines(hand) or ("",))):
        rule = ROWS(state, wager)
        if rule is not None and terms.wagered(wager, box):
            compared = HandResult("win" if lines[0] else "lose", lines[0] or "none")
            made = terms.outcome(rule, f"box{box}", wager, compared)
            table = state.setup.pay_table(wager)
            more = [table.pays(line) for line in lines[1:]] if table is not None else []
            yield made.model_copy(update={"pays": " and ".join((made.pays, *more))}) if more else made

"""Keyed wagers and settlements: a wager outside its window, or changed once it is confirmed, is refused.

36.1, 36.5(f), (g), 36.6(b), 36.7(d), (e), 36.10(b), 26.11(b), 2.26(d), 2B.5(d), (e), 51.6(b). A key may race with the
shoe: a card or the reader closes a window only once the grace of the table is over.
"""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.profile.refusals import Reason, refusal
from pitwarden.rules.queries.layout import deal_template, regular
from pitwarden.rules.queries.open_wagers import are_settled
from pitwarden.rules.queries.reader import up_rank
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import RulesState, add_fact, refuse_input
from pitwarden.rules.state.wagers import KeyedSettlement, WagerStake
from pitwarden.rules.transitions.draws import begin_round
from pitwarden.rules.transitions.stakes import wager_refusal
from pitwarden_client.events.dealer_wagers import KpSettled, KpWager

ROWS: Final = declared(
    __name__,
    decides=("insurance_first", "wager_locked", "wager_window"),
    reads=("bonus_first",),
)


_IN_PLAY: Final = frozenset({"attack2", "attack3", "doubleattack", "insurance", "double", "split", "play"})
"""Wagers made while cards are on the layout. Any other wager that is keyed between rounds belongs to the next round."""


def apply_wager(state: RulesState, act: KpWager) -> RulesState:
    """Return `state` with the wager, or with its refusal under the clause that forbids it.

    A wager of the next round begins that round.
    """
    late, locked = ROWS(state, "wager_window"), ROWS(state, "wager_locked")
    early = late is not None and act.called in late.words("before_first_card")
    # No other key may have begun the round: a wager that is made before the deal begins it.
    if not state.round.open and act.called not in _IN_PLAY:
        state = begin_round(state)
    played, wager = state.round, f"{act.called} {act.box}"
    announced = late is not None and late.param("at_no_more_bets", default=False) is True and played.windows.bets_closed
    if late is not None and early and announced and played.open:
        return refuse_input(state, refusal("bets_announced", wager=_name(act)), late)
    # From the hand no device senses a card: a key after the deal shows it.
    by_hand = state.table.mode == "hand" and played.open and played.keyed_after_deal
    if late is not None and early and (len(played.deal.dealt) > played.deal.carried or by_hand):
        return refuse_input(state, refusal("first_card_dealt", wager=_name(act)), late)
    reason, rule = _not_offered(state, act)
    if reason is not None:
        return refuse_input(state, reason, rule)
    known = any(
        (one.wager, one.box, one.bettor) == (act.called, act.box, act.bettor) for one in played.windows.bets.stakes
    ) and not _is_another(played, act)
    confirmed = locked is not None and act.called in locked.words("confirmed") and played.open
    if locked is not None and confirmed and (act.called in played.windows.closed or known):
        return refuse_input(state, refusal("wagers_confirmed", wager=_name(act)), locked)
    reason, rule = wager_refusal(state, act)
    if reason is not None:
        return refuse_input(state, reason, rule)
    kept = tuple(
        one
        for one in played.windows.bets.stakes
        if (one.wager, one.box, one.bettor) != (act.called, act.box, act.bettor)
    )
    bets = replace(played.windows.bets, stakes=(*kept, WagerStake(act.called, act.box, act.bettor, act.cents)))
    return replace(
        state, round=replace(played, windows=replace(played.windows, wagers=(*played.windows.wagers, wager), bets=bets))
    )


def _is_another(played: RoundState, act: KpWager) -> bool:
    """Return whether the wager may be one for a further hand of the box: a second split, a double of a half."""
    halves = sum(hand.box == act.box and bool(hand.half) for hand in played.play.hands)
    others = [one for one in played.windows.bets.stakes if (one.wager, one.box) == (act.called, act.box)]
    others = [one for one in others if one.bettor != act.bettor]
    made = played.windows.wagers.count(f"{act.called} {act.box}") - len(others)
    return act.called in {"double", "split"} and made <= halves


def _not_offered(state: RulesState, act: KpWager) -> tuple[Reason | None, ClauseRule | None]:
    """Return why a wager is not offered now, with the profile rule (36.1, 36.7(d), (e), 36.10(a), (b), 26.11(b))."""
    late, insurance = ROWS(state, "wager_window"), ROWS(state, "insurance_first")
    if late is not None and act.called in late.words("before_closed") and act.called in state.round.windows.closed:
        return refusal("window_closed", wager=_name(act)), late
    offered = dict(word.split() for word in late.words("after")) if late is not None else {}
    if act.called in offered:
        return _outside(state, act, offered[act.called], next_card=True), late
    if act.called != "insurance" or insurance is None:
        return None, None
    if state.round.open and up_rank(state) not in {"A", None}:
        return refusal("insurance_needs_an_ace"), insurance
    after = str(insurance.param("after", default=""))
    reason = _outside(state, act, after, next_card=False) if after else None
    if reason is None and after and _is_play_on(state):
        reason = refusal("insurance_too_late")
    return reason, insurance


def _outside(state: RulesState, act: KpWager, after: str, *, next_card: bool) -> Reason | None:
    """Return why a wager that is offered after the pass `after` of the deal is outside its window, None if it is not.

    Args:
        state: State before the wager.
        act: The wager.
        after: Name of the pass.
        next_card: Whether the next card of the deal ends the window.
    """
    played, plan = state.round, deal_template(state.setup, state.round)
    if not played.open:
        return refusal("no_round_for_wager", wager=_name(act))
    if plan is None or not regular(state.setup, played):
        return None
    end = next(plan.ends[at] for at, one in enumerate(state.setup.profile.passes) if one.name == after)
    dealt = played.deal.dealt
    if len(dealt) < end:
        return refusal("wager_too_early", wager=_name(act))
    if next_card and len(dealt) - played.deal.early > end and _is_past(state, dealt[end].at_ms):
        return refusal("next_card_dealt", wager=_name(act))
    return None


def _is_play_on(state: RulesState) -> bool:
    """Return whether the hole card went into the reader, or a further card was dealt."""
    play = state.round.play
    use, further = play.reader, [card for hand in play.hands for card in hand.cards[2:]]
    inserted = bool(use.inserted) and not (use.misused or use.empty) and _is_past(state, use.inserted_ms)
    return inserted or any(_is_past(state, card.at_ms) for card in (*further, *play.dealer))


def _is_past(state: RulesState, at_ms: int) -> bool:
    return state.log_ms - at_ms >= state.setup.grace_ms


def apply_settlement(state: RulesState, act: KpSettled) -> RulesState:
    """Return `state` with a wager settled, and its result where that was keyed."""
    played = state.round
    lines = (*played.settlement.settled, f"box{act.box} {act.called}")
    bets = played.windows.bets
    if act.result is not None:
        bets = replace(
            bets, paid=(*bets.paid, KeyedSettlement(act.called, act.box, act.hand, act.result, state.number))
        )
    return _completed(
        replace(
            state,
            round=replace(
                played, settlement=replace(played.settlement, settled=lines), windows=replace(played.windows, bets=bets)
            ),
        ),
        act,
    )


def _completed(state: RulesState, act: KpSettled) -> RulesState:
    """Return `state` with the fact that the last wager of a step was settled by its own key, like the step's key."""
    bonus = ROWS(state, "bonus_first")
    steps = (
        (fact("ib_settled"), ("ib",), None),
        (fact("antes_collected"), ("ante",), None),
        (fact("insurance_settled"), ("insurance",), None),
        (fact("bonus_settled"), bonus.words("wagers") if bonus else (), act.box),
    )
    done = [one for one, wagers, box in steps if act.called in wagers and are_settled(state.round, wagers, box)]
    return add_fact(state, *done) if done else state


def _name(act: KpWager) -> str:
    return act.called.replace("_", " ")

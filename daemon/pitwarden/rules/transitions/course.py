"""Signs by which a row moves a round to its next phase (`state.phase`)."""

from collections.abc import Callable, Mapping
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.queries.hands import is_decision_due
from pitwarden.rules.queries.layout import cards_missing
from pitwarden.rules.state.phase import TRANSITIONS, Cause, moved
from pitwarden.rules.state.round import Course, RoundState
from pitwarden.rules.state.state import RulesState


def follow_course(state: RulesState) -> RulesState:
    """Return `state` with its round in the phase that the row led to; a row may lead through several phases."""
    # The signs that lead to and fro contradict each other; the bound keeps the function total if one is changed.
    left = len(TRANSITIONS)
    while left and (cause := _next_cause(state)) is not None:
        state, left = replace(state, round=moved(state.round, cause)), left - 1
    return state


def is_course_kept(old: RoundState, new: RoundState) -> bool:
    """Return whether nothing changed that a sign reads, so that `new` is in the phase that `old` is in."""
    return (
        old.deal is new.deal
        and old.play is new.play
        and old.exceptions is new.exceptions
        and old.revealed is new.revealed
        and old.windows.bets_closed is new.windows.bets_closed
        and old.course == new.course
    )


def _next_cause(state: RulesState) -> Cause | None:
    for cause, sign in _SIGNS_OF[state.round.course]:
        if sign(state):
            return cause
    return None


def _is_deal_open(state: RulesState) -> bool:
    """Return whether cards of the deal are due. The cards decide it, not a key that comes too early.

    Where its cards cannot be counted against the boxes (not keyed, or dealt from the hand), it lasts until the first
    decision, or until the dealer's hand is shown. An input that is keyed after the deal proves that the deal has ended.
    """
    play, short = state.round.play, cards_missing(state.setup, state.round)
    if short is None or state.table.mode == "hand":
        return not (play.decided or play.shown or play.hole_up or play.hole_held)
    return short > 0


def _is_deal_complete(state: RulesState) -> bool:
    return state.table.mode != "hand" and cards_missing(state.setup, state.round) == 0


def _is_card_out(state: RulesState) -> bool:
    deal = state.round.deal
    return len(deal.dealt) > deal.carried or _is_deal_complete(state)


def _is_play_begun(state: RulesState) -> bool:
    played = state.round
    if _is_deal_open(state):
        return False
    if played.play.played_on or played.play.decided or not _is_deal_complete(state):
        return True
    return bool(played.play.hands) and len(played.deal.marks) >= len(state.setup.profile.passes)


def _are_hands_decided(state: RulesState) -> bool:
    """Return whether no player has to decide: on a hand that may draw, or on a complete hand (51.10(c))."""
    play = state.round.play
    if play.decided:
        return set(play.decided).issuperset(state.round.deal.active)
    return not is_decision_due(state.round)


_SIGNS: Final[Mapping[Cause, Callable[[RulesState], bool]]] = {
    "bets_closed": lambda state: state.round.windows.bets_closed,
    "card_dealt": _is_card_out,
    "no_card": lambda state: not _is_card_out(state),
    "deal_complete": _is_deal_complete,
    "cards_missing": _is_deal_open,
    "play_begun": _is_play_begun,
    "hands_decided": _are_hands_decided,
    "hand_undecided": lambda state: not _are_hands_decided(state),
    "dealer_shown": lambda state: state.round.play.hole_up or "dealer" in state.round.play.shown,
}
"""Sign of each cause in the state after a row. The first and the last row of a round move it themselves."""

_SIGNS_OF: Final[Mapping[Course, tuple[tuple[Cause, Callable[[RulesState], bool]], ...]]] = {
    course: tuple((cause, _SIGNS[cause]) for cause in causes if cause in _SIGNS)
    for course, causes in TRANSITIONS.items()
}
"""Signs of each phase, in the order of the table."""

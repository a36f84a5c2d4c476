"""Turned cards: hands that were dealt face down and certainly lie face up, 13:69F-51.10(d), (e), 2B.7(f).

A turned hand cannot be turned back, and a key does not prove that a hand was turned: it may be early, or name another
box. The order of the keys is a decision for each box, the dealer's hand, then hand by hand in the order of settlement.
"""

from collections.abc import Sequence
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.queries.hands import has_bonus, stays_face_down
from pitwarden.rules.queries.layout import COMMUNITY, all_dealt
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.card_faces import JOKER

_DEALER: Final = "dealer"


def turned(state: RulesState, *, ends: bool = False) -> frozenset[str]:
    """Return the targets (`dealer`, `box2`) whose cards were dealt face down and certainly lie face up.

    Args:
        state: State to examine.
        ends: Whether the round ends on this row. Hands that were keyed out of order are turned by then.
    """
    played = state.round
    dealer = [_DEALER] if played.play.hole_up else []
    if state.setup.profile.in_stacks:
        shown = _shown_hands(state, ends=ends)
        return frozenset(shown) if shown and _whole(state) else frozenset()
    switched = (
        [] if _in_doubt(played) else [f"box{box}" for box, choice in played.windows.choices if choice == "switch"]
    )
    return frozenset([*dealer, *switched])


def dealers_hand_shown(state: RulesState) -> RulesState:
    """Return `state` with the dealer's hand shown, once its key came and all boxes have decided.

    Call when a hand is keyed as turned. A hand that was keyed before must be keyed again.
    """
    played = state.round
    if played.play.hole_up or _DEALER not in played.play.shown or not _decided(state):
        return state
    hands = [hand for hand in played.play.shown if hand != _DEALER]
    last = hands[-1:] if played.play.shown[-1] != _DEALER else []
    # What was keyed before the dealer's hand stands before it: it shows no hand.
    early = (*(hand for hand in hands if hand not in last), _DEALER, *last)
    return replace(state, round=replace(played, play=replace(played.play, hole_up=True, shown=early)))


def _decided(state: RulesState) -> bool:
    """Return whether each box that was dealt a hand has decided, and no decision was refused."""
    played = state.round
    return (
        state.setup.keyed(("kp.decision",))
        and not _in_doubt(played)
        and set(played.deal.active) == set(played.play.decided)
    )


def _in_doubt(played: RoundState) -> bool:
    """Return whether it is uncertain which hands choices and decisions meant, or where their cards lie."""
    return played.exceptions.choice_doubt or played.exceptions.swap_doubt


def _whole(state: RulesState) -> bool:
    """Return whether the deal has its cards, one by one or by stacks, and none of them was read twice.

    Two misreads restore the right number and make all hands of the round wrong. In a single deck a repeated face shows
    it.
    """
    played, size = state.round, state.setup.profile.hand_size
    if (
        played.exceptions.parked
        or played.exceptions.found_doubt
        or not all_dealt(state.setup, played)
        or played.exceptions.extras
    ):
        return False
    stacked = set(played.deal.stacks) <= {
        size,
        *(one.times for one in state.setup.profile.passes if one.to == COMMUNITY),
    }
    # Secrecy: this is the one place where hidden faces decide what is published. Two cards of a single deck cannot be
    # the same, so that only a misread shows in the silence.
    return stacked and (state.setup.profile.copies > 1 or _all_different(played.deal.dealt))


def _all_different(cards: Sequence[DrawnCard]) -> bool:
    faces = [card.face for card in cards if 0 <= card.face < JOKER]
    return len(set(faces)) == len(faces)


def _shown_hands(state: RulesState, *, ends: bool) -> list[str]:
    """Return the hands that were turned: the dealer's, then those keyed in the order of settlement.

    A hand that was keyed out of this order is turned once its wagers are settled, or the round is over. Where decisions
    are not keyed, only the end of the round proves that the key was not early.
    """
    played = state.round
    if _DEALER not in played.play.shown or not (
        played.play.hole_up or (ends and not state.setup.keyed(("kp.decision",)))
    ):
        return []
    keyed = [hand for hand in played.play.shown[played.play.shown.index(_DEALER) :] if hand != _DEALER]
    shown = _in_order(state, keyed) if played.play.hole_up else []
    settled = {line.split()[0] for line in played.settlement.settled} - {f"box{box}" for box in played.play.folded}
    late = [hand for hand in keyed if ends or hand in settled]
    # Community cards that were dealt face down are turned with the dealer's hand.
    return [
        _DEALER,
        COMMUNITY,
        *shown,
        *(hand for hand in late if not stays_face_down(state, int(hand.removeprefix("box")))),
    ]


def _in_order(state: RulesState, keyed: Sequence[str]) -> list[str]:
    played = state.round
    folded = {box for box in played.play.folded if not has_bonus(state, box)}
    waiting = [f"box{box}" for box in reversed(played.deal.active) if box not in folded]
    return [waiting.pop(0) for hand in keyed if waiting and hand == waiting[0]]

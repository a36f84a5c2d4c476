"""The public faces that an outcome may rest on. A hidden face stops it."""

from collections.abc import Sequence

from pitwarden_client.events.card_faces import JOKER

from pitwarden.rules.evaluation.blackjack import is_blackjack
from pitwarden.rules.queries.choices import pairs_of
from pitwarden.rules.queries.hands import dealer_cards, dealer_must_stand, public_faces
from pitwarden.rules.queries.layout import surely
from pitwarden.rules.state.round import Draw
from pitwarden.rules.state.state import State


def faces_of(state: State, cards: Sequence[Draw]) -> tuple[int, ...] | None:
    """The faces of `cards` when all are public cards that were read, else None."""
    faces = public_faces(state.round, cards)
    return faces if faces and min(faces) >= 0 and max(faces) < JOKER else None


def pairs(state: State) -> tuple[tuple[int, int, int], ...]:
    """Each active box whose two initial cards, those that it plays, are public: the box and their faces."""
    each = [(box, faces_of(state, pair)) for box, pair in pairs_of(state)]
    return tuple([(box, *faces) for box, faces in each if faces is not None and len(faces) == 2])  # noqa: PLR2004


def up_face(state: State) -> tuple[int, ...] | None:
    """The dealer's first card face up, None while it is not surely that."""
    up = [draw for slot, draw in surely(state.setup, state.round, "dealer") if slot.up]
    return faces_of(state, up[:1])


def dealer_hand(state: State) -> tuple[int, ...] | None:
    """The dealer's whole hand, None while the hole card is down or the dealer has to draw."""
    return faces_of(state, dealer_cards(state)) if state.round.hole_up and dealer_must_stand(state) else None


def dealer_natural(state: State) -> bool | None:
    """Whether the dealer has a blackjack; None while the hole card is down."""
    faces = faces_of(state, dealer_cards(state)[:2]) if state.round.hole_up else None
    return None if faces is None or len(faces) != 2 else is_blackjack(faces)  # noqa: PLR2004  up card and hole card

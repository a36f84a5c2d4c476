"""The bonus hands of triple attack blackjack: suited royals on two cards, triple match on three (13:69F-36.6)."""

from typing import Final

from pitwarden_client.events.card_faces import rank_of, suit_of

_PICTURES: Final = frozenset({"K", "Q", "J"})


def suited_royals(one: int, other: int) -> str:
    """The highest line of 36.6(a)1 that two faces make; empty when they make none."""
    if not suit_of(one) or suit_of(one) != suit_of(other):
        return ""
    ranks = {rank_of(one), rank_of(other)}
    if ranks == {"K", "Q"}:
        return "king_queen_suited"
    return "two_suited_face_cards" if ranks <= _PICTURES else "two_card_flush"


def triple_match(one: int, other: int, dealers: int) -> str:
    """The highest line of 36.6(a)2 that a player's two faces and the dealer's first make; empty for none."""
    cards = (one, other, dealers)
    ranks = [rank_of(card) for card in cards]
    if len(set(ranks)) == 1:
        return "three_of_a_kind_suited" if len(set(cards)) == 1 else "three_of_a_kind_unsuited"
    if len(set(cards)) < len(cards):
        return "pair_suited"
    return "pair_unsuited" if len(set(ranks)) < len(ranks) else ""

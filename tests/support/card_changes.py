"""Other nights with the same public cards: what the non-interference tests change in the order of a shuffle."""

import random

from card_truth import CardTruth, Cycle
from pitwarden_simulators.cards import Card
from pitwarden_simulators.table.shuffling import Arrange


def permuted(truth: CardTruth, seed: str) -> Arrange:
    """Each shuffle of the night of `truth`, with the cards that stayed hidden in another order among themselves."""

    def arrange(deck: str, cycle: int, cards: list[Card]) -> list[Card]:
        made = list(cards)
        places = truth.hidden((deck, cycle)) if (deck, cycle) in truth.orders else []
        others = list(places)
        random.Random(f"{seed}/{deck}/{cycle}").shuffle(others)  # noqa: S311  a test's choice, no secret
        for place, other in zip(places, others, strict=True):
            made[place] = cards[other]
        return made

    return arrange


def swapped(where: Cycle, place: int, other: int) -> Arrange:
    """One shuffle with two cards in each other's places."""

    def arrange(deck: str, cycle: int, cards: list[Card]) -> list[Card]:
        made = list(cards)
        if (deck, cycle) == where:
            made[place], made[other] = cards[other], cards[place]
        return made

    return arrange


def changed_faces(one: CardTruth, other: CardTruth) -> int:
    """How many places of the two nights' shuffles show other faces."""
    return sum(
        a.face != b.face for cycle, order in one.orders.items() for a, b in zip(order, other.orders[cycle], strict=True)
    )

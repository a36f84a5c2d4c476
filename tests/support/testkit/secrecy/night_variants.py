"""Variants of a night with the same public cards, and the secrets of a night that was played."""

import random

from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_simulators.cards import Card
from pitwarden_simulators.table.shuffling import Arrange
from testkit.secrecy.card_truth import CardTruth, Cycle
from testkit.secrecy.disclosure_oracle import DisclosureOracle, HiddenValue
from testkit.simulated_service.night import SimulatedNight


def permuted(truth: CardTruth, seed: str) -> Arrange:
    """Return each shuffle of the night of `truth`, with the hidden cards in another order among themselves."""

    def arrange(deck: str, cycle: int, cards: list[Card]) -> list[Card]:
        made = list(cards)
        places = truth.hidden((deck, cycle)) if (deck, cycle) in truth.orders else []
        others = list(places)
        random.Random(f"{seed}/{deck}/{cycle}").shuffle(others)  # noqa: S311  a test's choice, not a secret
        for place, other in zip(places, others, strict=True):
            made[place] = cards[other]
        return made

    return arrange


def swapped(where: Cycle, place: int, other: int) -> Arrange:
    """Return one shuffle with two cards in each other's places."""

    def arrange(deck: str, cycle: int, cards: list[Card]) -> list[Card]:
        made = list(cards)
        if (deck, cycle) == where:
            made[place], made[other] = cards[other], cards[place]
        return made

    return arrange


def changed_faces(one: CardTruth, other: CardTruth) -> int:
    """Return the number of places of the two nights' shuffles with other faces."""
    return sum(
        a.face != b.face for cycle, order in one.orders.items() for a, b in zip(order, other.orders[cycle], strict=True)
    )


def oracle(night: SimulatedNight) -> DisclosureOracle:
    """Return the secrets of `night`."""
    dealt = [card for event in night.table.shoe.dealt for card in event.cards]
    blitz = night.table.setup.game == "three-card-blitz"
    return DisclosureOracle(night.truth, dealt, blitz).follow(decode(LogEvent, body) for body in night.observed.bodies)


def answers(night: SimulatedNight) -> list[HiddenValue]:
    """Return the answers of the reader, in order."""
    return [secret for secret in oracle(night).secrets if secret.kind == "answer"]


def for_an_undealt(night: SimulatedNight, secret: HiddenValue, choice: int) -> Arrange:
    """Return the same shuffles, with the card of `secret` swapped with an undealt one of another face."""
    if secret.cycle is None:
        raise LookupError("the reader's answer is no card")
    order = night.truth.orders[secret.cycle]
    face = order[secret.place].face
    others = [at for at in oracle(night).undealt(secret.cycle) if order[at].face != face]
    return swapped(secret.cycle, secret.place, others[choice % len(others)])

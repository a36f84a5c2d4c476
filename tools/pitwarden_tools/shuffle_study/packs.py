"""Orders of a shoe: an honest shuffle, and the defects that the auditor is measured on."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from pitwarden_simulators.cards import TENS

Order = Callable[[Random, Sequence[int], int, bool], list[int]]
"""Makes the next shoe: chance, the last shoe as it is in the rack, number of decks, whether they have 10s."""


def factory(decks: int, *, tens: bool) -> list[int]:
    """Return a number of decks in new-deck order, one after the other."""
    return [face for _ in range(decks) for face in range(52) if tens or face not in TENS]


def cut(dice: Random, cards: Sequence[int]) -> list[int]:
    """Cut `cards` at least ten from either end (36.4(e), 51.4(c))."""
    at = dice.randrange(10, len(cards) - 9)
    return [*cards[at:], *cards[:at]]


def riffled(dice: Random, cards: Sequence[int]) -> list[int]:
    """Riffle once: cut in two by coin tosses, then each card from a packet by the size of its rest."""
    at = sum(dice.random() < 0.5 for _ in cards)  # noqa: PLR2004  a fair coin
    left, right, made = list(cards[:at]), list(cards[at:]), list[int]()
    while left or right:
        packet = left if dice.random() * (len(left) + len(right)) < len(left) else right
        made.append(packet.pop(0))
    return made


def _honest(dice: Random, rack: Sequence[int], decks: int, tens: bool) -> list[int]:  # noqa: FBT001  see Order
    cards = list(rack) or factory(decks, tens=tens)
    dice.shuffle(cards)
    return cards


def _factory(dice: Random, rack: Sequence[int], decks: int, tens: bool) -> list[int]:  # noqa: FBT001  see Order
    del rack
    return cut(dice, factory(decks, tens=tens))


def _sorted(dice: Random, rack: Sequence[int], decks: int, tens: bool) -> list[int]:  # noqa: FBT001  see Order
    del rack
    return cut(dice, sorted(factory(decks, tens=tens), key=lambda face: (face % 13, face)))


def _unshuffled(dice: Random, rack: Sequence[int], decks: int, tens: bool) -> list[int]:  # noqa: FBT001  see Order
    return cut(dice, rack or _honest(dice, rack, decks, tens))


def _one_riffle(dice: Random, rack: Sequence[int], decks: int, tens: bool) -> list[int]:  # noqa: FBT001  see Order
    return cut(dice, riffled(dice, rack or _honest(dice, rack, decks, tens)))


def _riffled_factory(dice: Random, rack: Sequence[int], decks: int, tens: bool) -> list[int]:  # noqa: FBT001  see Order
    del rack
    return cut(dice, riffled(dice, factory(decks, tens=tens)))


def _clumped(dice: Random, rack: Sequence[int], decks: int, tens: bool) -> list[int]:  # noqa: FBT001  see Order
    cards, packets = list(rack) or _honest(dice, rack, decks, tens), list[list[int]]()
    while cards:
        size = dice.randint(5, 12)
        packets.append(cards[:size])
        cards = cards[size:]
    dice.shuffle(packets)
    return [card for packet in packets for card in packet]


HONEST: Final = _honest
DEFECTS: Final[dict[str, Order]] = {
    "factory order": _factory,
    "sorted by rank": _sorted,
    "discards back unshuffled": _unshuffled,
    "discards after one riffle": _one_riffle,
    "factory order after one riffle": _riffled_factory,
    "discards in packets of 5 to 12": _clumped,
}

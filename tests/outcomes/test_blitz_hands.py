"""Hands of seven against a second evaluator; every hand of a small pack, and counts by combinations."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from pitwarden.rules.evaluation.three_card_blitz import blind_line, flush_line, progressive_lines, suit_total
from pitwarden_client.events.card_faces import parse_face
from testkit.reference.blitz_comparison import compared, flushes, reduced, sample


def hand(names: str) -> tuple[int, ...]:
    return tuple(parse_face(name) for name in names.split())


def test_a_sample_of_hands_and_every_hand_of_a_small_pack() -> None:
    compared(sample(2_000, 7))
    fell = compared(reduced(4))
    assert sum(fell.values()) == 2 * comb(16, 7)
    assert {line: fell[line] for line in flushes(4)} == flushes(4)


def test_every_choice_of_three_from_one_suit_has_its_total() -> None:
    values = [11, *range(2, 11), 10, 10, 10]
    fell = Counter(suit_total(three) for three in combinations(range(13), 3))
    assert fell == Counter(sum(values[rank] for rank in three) for three in combinations(range(13), 3))
    assert fell[31] == comb(4, 2), "an ace and two of 10, J, Q, K"


@pytest.mark.parametrize(
    ("names", "points", "blind", "flush", "progressive"),
    [
        ("AS KS 5S 9H 9D 2C 3C", 26, "total_of_26_or_less", "", ()),
        ("AS KS QS AH KH QH 2C", 31, "double_blitz", "", ("double_blitz", "royal_blitz_spades", "royal_blitz_hearts")),
        ("AS 10S JS AH KH QH 2C", 31, "double_blitz", "", ("double_blitz", "royal_blitz_hearts")),
        ("AC KC QC JC 10C 2H 3H", 31, "royal_blitz", "five_suited_cards", ("five_card_royal_flush",)),
        ("AC KC QC JC 9C 2C 3C", 31, "royal_blitz", "seven_suited_cards", ("royal_blitz_clubs",)),
        ("AC KC JC 2H 3H 4H 6H", 31, "blitz", "four_suited_cards", ("blitz",)),
        ("KC QC JC 2H 3H 4H 6D", 30, "total_of_30", "", ("total_of_30",)),
        ("AC 10C 8C 2H 3H 4H 6D", 29, "total_of_29", "", ()),
        ("AC 10C 7C 2C 3C 4C 6D", 28, "total_of_28", "six_suited_cards", ()),
    ],
)
def test_hands_of_the_text(names: str, points: int, blind: str, flush: str, progressive: tuple[str, ...]) -> None:
    cards = hand(names)
    assert (suit_total(cards), blind_line(cards), flush_line(cards)) == (points, blind, flush)
    assert progressive_lines(cards) == progressive

"""Ranks of poker hands: counted whole where they can be, and against a second evaluator."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from pitwarden.rules.evaluation.poker import poker_rank
from pitwarden_client.events.card_faces import face_name, parse_face
from testkit.reference.poker_hands import best_name, strength


def rank_of(names: str) -> tuple[str, ...]:
    return poker_rank(tuple(parse_face(name) for name in names.split())).lines


def test_every_hand_of_three_cards_is_counted() -> None:
    counts = Counter(poker_rank(three).line for three in combinations(range(52), 3))
    assert counts == {
        "straight_flush": 48, "three_of_a_kind": 52, "straight": 720, "flush": 1_096, "pair": 3_744,
        "high_card": 16_440,
    }  # fmt: skip
    assert sum(counts.values()) == 22_100


def test_every_hand_of_two_cards_is_counted() -> None:
    counts = Counter(poker_rank(two).line for two in combinations(range(52), 2))
    assert counts == {"pair": 78, "high_card": 1_248}


def test_every_hand_of_five_cards_of_a_short_pack_is_counted() -> None:
    """Ranks 10 to ace, so that every rank occurs: 15,504 hands of 20 cards."""
    pack = [parse_face(rank + suit) for rank in ("10", "J", "Q", "K", "A") for suit in "SHDC"]
    counts = Counter(poker_rank(five).line for five in combinations(pack, 5))
    assert counts == {
        "straight_flush": 4, "four_of_a_kind": 80, "full_house": 480, "straight": 1_020, "three_of_a_kind": 1_920,
        "two_pair": 4_320, "pair": 7_680,
    }  # fmt: skip


@pytest.mark.parametrize("size", [2, 3, 5, 6, 7])
def test_pairs_of_hands_compare_as_a_second_evaluator_has_it(size: int) -> None:
    """Some pairs are drawn from few ranks or one suit, so that the rare ranks and near ties occur."""
    rng = Random(size)  # noqa: S311  a repeatable sample
    packs = [range(52), [face for face in range(52) if face % 13 in {0, 1, 2, 3, 4, 12}], range(26)]
    for turn in range(1_500):
        drawn = rng.sample(list(packs[turn % 3]), size * 2)
        one, other = tuple(drawn[:size]), tuple(drawn[size:])
        theirs = [strength([face_name(face) for face in hand]) for hand in (one, other)]
        ours = [poker_rank(one), poker_rank(other)]
        assert (ours[0] > ours[1], ours[0] == ours[1]) == (theirs[0] > theirs[1], theirs[0] == theirs[1]), drawn
        assert ours[0].line == best_name([face_name(face) for face in one])


@pytest.mark.parametrize(
    ("hand", "lines"),
    [
        ("AS KS QS", ("mini_royal", "straight_flush")),
        ("AS 2S 3S", ("straight_flush",)),
        ("AS KS 2S", ("flush",)),
        ("KS AD 2C", ("high_card",)),
        ("10H JH QH KH AH", ("royal_flush", "straight_flush")),
        ("10H JH QH KH AD 9C 8C", ("straight",)),
        ("2S 2D 3S 3D 4S 4D AH", ("two_pair",)),
        ("AS 2D 3S 4D 5S AD AH", ("straight",)),
        ("9S 9D 9H 4C 4D 4H 2C", ("full_house",)),
        ("QS QD", ("pair",)),
        ("QS JS", ("high_card",)),
    ],
)
def test_hands_have_the_names_of_a_pay_table(hand: str, lines: tuple[str, ...]) -> None:
    assert rank_of(hand) == lines


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("4S 3D 2C", "3S 2D AC"),  # an ace below a two makes the lowest straight
        ("QS 8D 3C", "QD 8S 2C"),
        ("2S 2D 3C", "AS KD JC"),
        ("6H 5H 4H 3H 2H", "5S 4S 3S 2S AS"),
        ("3S 3D 3H 2C 2D", "2S 2H 2C AD AH"),
    ],
)
def test_the_better_hand_is_greater(better: str, worse: str) -> None:
    one, other = (poker_rank(tuple(parse_face(name) for name in hand.split())) for hand in (better, worse))
    assert one > other

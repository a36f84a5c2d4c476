"""Every combination of two and three cards: how often each line comes equals what combinations alone say."""

from collections import Counter
from itertools import combinations_with_replacement, product
from math import comb

import pytest

from pitwarden.rules.evaluation.blackjack import (
    blackjack_kind,
    in_between_line,
    is_blackjack,
    suited_royals_line,
    triple_match_line,
)
from pitwarden_client.events.card_faces import is_ten

SHORT = [face for face in range(52) if not is_ten(face)]


def ways(cards: tuple[int, ...], copies: int) -> int:
    """How often a choice of faces comes out of a pack with `copies` of each."""
    made = 1
    for many in Counter(cards).values():
        made *= comb(copies, many)
    return made


def test_suited_royals_of_eight_packs_of_48() -> None:
    fell: Counter[str] = Counter()
    for pair in combinations_with_replacement(SHORT, 2):
        assert suited_royals_line(*pair) == suited_royals_line(*reversed(pair))
        fell[suited_royals_line(*pair)] += ways(pair, 8)
    pictures = 4 * comb(24, 2)
    assert fell == {
        "king_queen_suited": 4 * 8 * 8,
        "two_suited_face_cards": pictures - 4 * 8 * 8,
        "two_card_flush": 4 * comb(96, 2) - pictures,
        "": comb(384, 2) - 4 * comb(96, 2),
    }


def test_triple_match_of_eight_packs_of_48() -> None:
    fell: Counter[str] = Counter()
    for three in combinations_with_replacement(SHORT, 3):
        fell[triple_match_line(*three)] += ways(three, 8)
        one, other, dealers = three
        assert triple_match_line(dealers, one, other) == triple_match_line(one, other, dealers), (
            "whose card it is does not matter"
        )
    suited, kind = 48 * comb(8, 3), 12 * comb(32, 3)
    pair_suited = 48 * comb(8, 2) * 352
    pair = 12 * comb(32, 2) * 352 - pair_suited
    assert fell == {
        "three_of_a_kind_suited": suited,
        "three_of_a_kind_unsuited": kind - suited,
        "pair_suited": pair_suited,
        "pair_unsuited": pair,
        "": comb(384, 3) - kind - pair_suited - pair,
    }


@pytest.mark.parametrize("decks", [2, 8])
def test_in_between_of_two_to_eight_packs_of_52(decks: int) -> None:
    of_rank, fell = 4 * decks, Counter[str]()
    for low, high in combinations_with_replacement(range(13), 2):
        for dealers in range(13):
            left = Counter([low, high])
            pairs = comb(of_rank, 2) if low == high else of_rank**2
            fell[in_between_line(low, high, dealers)] += pairs * (of_rank - left[dealers])
            assert in_between_line(low, high, dealers) == in_between_line(high, low, dealers)
    spread = {gap: (12 - gap) * of_rank**2 * gap * of_rank for gap in range(1, 12)}
    triple = 13 * comb(of_rank, 2) * (of_rank - 2)
    won = {
        "triple_match": triple,
        "one_card_spread": spread[1],
        "two_card_spread": spread[2],
        "three_card_spread": spread[3],
        "all_other_spreads": sum(spread[gap] for gap in range(4, 12)),
    }
    rest = comb(52 * decks, 2) * (52 * decks - 2) - sum(won.values())
    assert fell == {**won, "": rest}


def test_suits_decide_nothing_in_between() -> None:
    lines = {
        (low % 13, high % 13, up % 13): in_between_line(low, high, up)
        for low, high, up in product((0, 5, 12), repeat=3)
    }
    for low, high, up in product((13, 18, 51), (26, 31, 12), (39, 44, 25)):
        assert in_between_line(low, high, up) == lines[low % 13, high % 13, up % 13]


@pytest.mark.parametrize("decks", [6, 7, 8])
def test_blackjacks_of_switch_hands(decks: int) -> None:
    fell: Counter[str] = Counter()
    for pair in combinations_with_replacement(range(52), 2):
        if is_blackjack(pair):
            fell[blackjack_kind(pair)] += ways(pair, decks)
    of_colour = (2 * decks) * (8 * decks)
    assert fell == {"suited_or_colored_blackjack": 2 * of_colour, "blackjack": 4 * decks * 16 * decks - 2 * of_colour}

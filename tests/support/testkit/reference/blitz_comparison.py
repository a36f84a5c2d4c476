"""Hands of seven by our evaluator of 3 Card Blitz and by the second one, with samples to compare them on."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb

from pitwarden.rules.evaluation.three_card_blitz import blind_line, flush_line, progressive_lines, suit_total
from pitwarden_client.events.card_faces import RANKS, rank_of, suit_of
from testkit.reference import blitz_evaluator as other

SIZES = {"four": 4, "five": 5, "six": 6, "seven": 7}
Hand = tuple[int, ...]


def sample(hands: int, seed: int) -> Iterator[Hand]:
    """Yield `hands` hands of seven out of 52 cards, by `seed`."""
    dice = random.Random(seed)  # noqa: S311  sampled hands, not secrets
    pack = range(52)
    return (tuple(dice.sample(pack, 7)) for _ in range(hands))


def reduced(ranks: int) -> Iterator[Hand]:
    """Yield every hand of seven out of the `ranks` highest ranks, the ace among them."""
    kept = {0, *range(14 - ranks, 13)}
    return combinations([face for face in range(52) if face % len(RANKS) in kept], 7)


def difference(hand: Hand) -> str:
    """Return how the two evaluators differ on `hand`; nothing when they agree."""
    cards = [(rank_of(face), suit_of(face)) for face in hand]
    line = flush_line(hand)
    ours = (suit_total(hand), blind_line(hand), SIZES.get(line.partition("_")[0], 0), set(progressive_lines(hand)))
    theirs = (other.points(cards), other.blind(cards), other.flush(cards), other.progressive(cards))
    return "" if ours == theirs else f"{cards}: {ours} is not {theirs}"


def compared(hands: Iterable[Hand]) -> Counter[str]:
    """Return how many hands fell on each line of the Blind and the Flush Bonus.

    Raises:
        AssertionError: The evaluators differ on a hand; the message names it.
    """
    fell: Counter[str] = Counter()
    for hand in hands:
        wrong = difference(hand)
        assert not wrong, wrong
        fell[blind_line(hand)] += 1
        fell[flush_line(hand) or "no_flush"] += 1
    return fell


def flushes(ranks: int) -> dict[str, int]:
    """Return the number of hands of seven by their most suited cards, counted by combinations alone."""
    names = ("four", "five", "six", "seven")
    return {
        f"{name}_suited_cards": 4 * comb(ranks, k) * comb(3 * ranks, 7 - k) for k, name in enumerate(names, start=4)
    }

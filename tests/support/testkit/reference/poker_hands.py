"""Poker hands read a second time: it shares neither code nor tables with the rules core.

A hand is a list of words such as `QS`. Its strength is a list of numbers, made of how often each rank occurs and of the
straights that are written out here.
"""

from itertools import combinations

RUNS = {
    3: ["A23", "234", "345", "456", "567", "678", "789", "89T", "9TJ", "TJQ", "JQK", "QKA"],
    5: ["A2345", "23456", "34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA"],
}
LETTERS = "23456789TJQKA"
NAMES = {
    "4": "four_of_a_kind", "32": "full_house", "3": "three_of_a_kind", "22": "two_pair", "2": "pair", "": "high_card",
}  # fmt: skip
ORDERED = {
    2: ["high_card", "pair"],
    3: ["high_card", "pair", "flush", "straight", "three_of_a_kind", "straight_flush"],
    5: [
        "high_card", "pair", "two_pair", "three_of_a_kind", "straight", "flush", "full_house", "four_of_a_kind",
        "straight_flush",
    ],
}  # fmt: skip


def letters(hand: list[str]) -> list[str]:
    """Return the rank of each card in one letter."""
    return [card[:-1].replace("10", "T") for card in hand]


def name_of(hand: list[str]) -> str:
    """Return the name of a hand of 2, 3 or 5 cards."""
    ranks, size = letters(hand), len(hand)
    suited = size > 2 and all(card[-1] == hand[0][-1] for card in hand)
    run = size > 2 and run_of(ranks) >= 0
    if run or suited:
        return "straight_flush" if run and suited else "straight" if run else "flush"
    often = sorted((ranks.count(letter) for letter in set(ranks)), reverse=True)
    return NAMES["".join(str(count) for count in often if count > 1)]


def run_of(ranks: list[str]) -> int:
    """Return the place of a straight among the straights of its size, -1 for none."""
    found = [at for at, run in enumerate(RUNS[len(ranks)]) if sorted(run) == sorted(ranks)]
    return found[0] if found else -1


def strength(hand: list[str]) -> list[int]:
    """Return a list that is greater for the better hand; of more than five cards for the best five."""
    if len(hand) > 5:
        return max(strength(list(five)) for five in combinations(hand, 5))
    name, ranks = name_of(hand), letters(hand)
    made = [ORDERED[len(hand)].index(name)]
    if "straight" in name:
        return [*made, run_of(ranks)]
    for count in (4, 3, 2, 1):
        made += sorted((LETTERS.index(letter) for letter in set(ranks) if ranks.count(letter) == count), reverse=True)
    return made


def best_name(hand: list[str]) -> str:
    """Return the name of a hand of any number of cards."""
    return ORDERED[min(len(hand), 5)][strength(hand)[0]]

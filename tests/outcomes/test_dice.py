"""Craps by every pair of dice: the chances of each wager are those of the literature, worked out from single rolls."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from pitwarden.rules.evaluation.craps import CrapsState, CrapsWager, apply_roll

DICE = list(product(range(1, 7), repeat=2))


def fell(game: CrapsState) -> dict[str, Fraction]:
    """Return the chance of each result of the one wager of `game`, over any number of rolls."""
    chances: Counter[str] = Counter()
    waiting: dict[CrapsState, int] = {}
    for one, other in DICE:
        after = apply_roll(game, one + other, hard=one == other, place_lose_on_comeout=False)
        if after.decided:
            chances[after.decided[0].result] += 1
        else:
            waiting[after] = waiting.get(after, 0) + 1
    made = {result: Fraction(count, 36) for result, count in chances.items()}
    same = [after for after in waiting if after.wagers == game.wagers]
    stays = Fraction(sum(waiting[after] for after in same), 36)
    for after, count in waiting.items():
        if after not in same:
            for result, chance in fell(after).items():
                made[result] = made.get(result, Fraction(0)) + Fraction(count, 36) * chance
    return {result: chance / (1 - stays) for result, chance in made.items()}


@pytest.mark.parametrize(
    ("bet", "win"),
    [
        (CrapsWager("pass", 1), Fraction(244, 495)),
        (CrapsWager("dont_pass", 1), Fraction(949, 1980)),
        (CrapsWager("place_win", 1, 6, on=True), Fraction(5, 11)),
        (CrapsWager("place_win", 1, 4, on=True), Fraction(1, 3)),
        (CrapsWager("place_lose", 1, 10, on=True), Fraction(2, 3)),
        (CrapsWager("place_lose", 1, 5, on=True), Fraction(3, 5)),
        (CrapsWager("four_hard", 1), Fraction(1, 9)),
    ],
    ids=lambda value: value.wager if isinstance(value, CrapsWager) else "",
)
def test_the_chance_of_each_wager(bet: CrapsWager, win: Fraction) -> None:
    chances = fell(CrapsState(wagers=(bet,)))
    assert chances["win"] == win
    assert sum(chances.values()) == 1


@pytest.mark.parametrize("wager", ["come", "dont_come"])
@pytest.mark.parametrize("point", [0, 6])
def test_a_come_bet_is_a_pass_bet_that_begins_later(wager: str, point: int) -> None:
    line = {"come": "pass", "dont_come": "dont_pass"}[wager]
    for one, other in DICE:
        total = one + other
        came = apply_roll(
            CrapsState(point=point, wagers=(CrapsWager(wager, 1),)), total, hard=None, place_lose_on_comeout=False
        )
        passed = apply_roll(CrapsState(wagers=(CrapsWager(line, 1),)), total, hard=None, place_lose_on_comeout=False)
        assert [each.result for each in came.decided] == [each.result for each in passed.decided]
        assert [each.number for each in came.wagers] == [each.number for each in passed.wagers]

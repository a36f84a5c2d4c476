"""Rolls at craps and what they decide by 19:47-1.2(a)1 to 7; the texts of our sources have no odds.

Each roll is a round of its own here. The house's switch on place bets to lose (C-52) is left at the letter: all place
bets are inactive on a come out roll unless called on.
"""

from dataclasses import dataclass
from random import Random
from typing import Final

from pitwarden_tools.outcomes.rounds import PlayedRound

_ROLLS: Final = 40
_NUMBERS: Final = (4, 5, 6, 8, 9, 10)
_SEVEN: Final = 7


@dataclass(slots=True)
class LaidBet:
    """Wager on the layout. `number` of a line wager is 0 until a roll sets its point."""

    wager: str
    spot: int
    number: int = 0
    on: bool = False

    @property
    def name(self) -> str:
        """Name in an outcome."""
        return f"{self.wager}_{self.number}" if self.wager.startswith("place") else self.wager


def craps_rounds(rng: Random) -> tuple[list[str], list[PlayedRound]]:
    """Return the header of a table, and some rolls."""
    point, laid, rounds = 0, list[LaidBet](), list[PlayedRound]()
    for _ in range(_ROLLS):
        made = PlayedRound()
        _place(made, laid, rng, come_out=point == 0)
        dice = rng.randint(1, 6), rng.randint(1, 6)
        made.key(f"kp.dice {sum(dice)} {dice[0]} {dice[1]}")
        laid = [bet for bet in laid if not _decided(made, bet, dice, come_out=point == 0)]
        total = sum(dice)
        if point == 0:
            point = total if total in _NUMBERS else 0
        elif total in {point, _SEVEN}:
            point = 0
        rounds.append(made)
    return ["title: random rolls", "game: CR"], rounds


def _place(made: PlayedRound, laid: list[LaidBet], rng: Random, *, come_out: bool) -> None:
    """Key some wagers that are permitted now and not on the layout yet."""
    lines = ("pass", "dont_pass") if come_out else ("come", "dont_come")
    for spot in (1, 2):
        bets = [LaidBet(line, spot) for line in lines]
        bets += [LaidBet(wager, spot, number) for wager in ("place_win", "place_lose") for number in _NUMBERS]
        bets.append(LaidBet("four_hard", spot))
        for bet in bets:
            there = any((one.name, one.spot, one.number) == (bet.name, spot, bet.number) for one in laid)
            if there or rng.random() > 0.2:  # noqa: PLR2004  few wagers a roll
                continue
            bet.on = bet.wager.startswith("place") and rng.random() < 0.3  # noqa: PLR2004  some are called on
            number = f" {bet.number} {spot}{' yes' if bet.on else ''}" if bet.number else f" spot={spot}"
            made.key(f"kp.dice_wager {bet.wager}{number}")
            laid.append(bet)


def _decided(made: PlayedRound, bet: LaidBet, dice: tuple[int, int], *, come_out: bool) -> bool:
    """Add the outcome of a wager that the roll decides, and return whether it does."""
    result = _result(bet, dice, come_out=come_out)
    if result:
        made.wagered(f"spot{bet.spot}", bet.name, result)
    return bool(result)


def _result(bet: LaidBet, dice: tuple[int, int], *, come_out: bool) -> str:
    total = sum(dice)
    if bet.wager.startswith("place"):
        if come_out and not bet.on:
            return ""
        return _race(total, win=bet.number, lose=_SEVEN) if bet.wager == "place_win" else _race(
            total, win=_SEVEN, lose=bet.number
        )  # fmt: skip
    if bet.wager == "four_hard":
        return ("win" if dice == (2, 2) else "lose") if total == 4 else "lose" if total == _SEVEN else ""  # noqa: PLR2004  a four
    against = bet.wager.startswith("dont")
    if bet.number:
        return _race(total, win=_SEVEN, lose=bet.number) if against else _race(total, win=bet.number, lose=_SEVEN)
    if total in _NUMBERS:
        bet.number = total
        return ""
    won = total in {_SEVEN, 11}
    if against and total == 12:  # noqa: PLR2004  1.2(a)2iii, 4iii
        return "void"
    return "win" if won is not against else "lose"


def _race(total: int, *, win: int, lose: int) -> str:
    return "win" if total == win else "lose" if total == lose else ""

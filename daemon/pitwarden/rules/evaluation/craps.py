"""Evaluation of craps: the result of a roll for the wagers on the layout (19:47-1.1, 1.2(a)1 to 7).

Our text ends with item 7.
"""

from dataclasses import dataclass
from typing import Final

from pitwarden.rules.evaluation.blackjack import Result

HARD_TOTAL: Final = 4
"""Total that decides the hardway wager by its dice (1.2(a)7)."""
POINTS: Final = frozenset({4, 5, 6, 8, 9, 10})
_SEVEN, _NATURALS, _CRAPS, _TWELVE = 7, frozenset({7, 11}), frozenset({2, 3, 12}), 12
FROM_COME_OUT: Final = frozenset({"pass", "dont_pass"})
AFTER_COME_OUT: Final = frozenset({"come", "dont_come"})
PLACED: Final = frozenset({"place_win", "place_lose"})


@dataclass(frozen=True)
class CrapsWager:
    """A wager on the layout."""

    wager: str
    spot: int
    """Number that distinguishes the players at the table."""
    number: int = 0
    """Number that it is placed on, or its point once it has one; 0 for none."""
    on: bool = False
    """True where the player called it on for a come out roll."""


@dataclass(frozen=True)
class UnreadHardway:
    """A hardway wager that a total of 4 decided, where the dice that made it were not keyed."""

    bet: CrapsWager
    roll: int
    """Number of that roll since the table opened."""


@dataclass(frozen=True)
class CrapsResult:
    """A wager that a roll decided, and its result."""

    bet: CrapsWager
    result: Result


@dataclass(frozen=True)
class CrapsState:
    """A game of craps."""

    rolls: int = 0
    """Rolls since the table opened."""
    point: int = 0
    """Come out point; 0 where a come out roll is next."""
    wagers: tuple[CrapsWager, ...] = ()
    decided: tuple[CrapsResult, ...] = ()
    """Wagers that the latest roll decided."""
    unread: tuple[UnreadHardway, ...] = ()
    """Wagers whose result only the dice show, until they are settled, or the dice are keyed next; one for each spot."""

    @property
    def asks(self) -> bool:
        """True while the dice of the latest roll are missing for a wager."""
        return any(one.roll == self.rolls for one in self.unread)


def apply_roll(game: CrapsState, total: int, *, hard: bool | None, place_lose_on_comeout: bool) -> CrapsState:
    """Return `game` after a roll.

    Args:
        game: Game before the roll.
        total: Sum of both dice.
        hard: Whether both dice are alike; None where that was not keyed.
        place_lose_on_comeout: Whether place bets to lose are active on a come out roll (C-52).
    """
    left: list[CrapsWager] = []
    decided: list[CrapsResult] = []
    unread: list[UnreadHardway] = []
    for bet in game.wagers:
        active = bet.on or game.point > 0 or (bet.wager == "place_lose" and place_lose_on_comeout)
        # 1.2(a)5: "All place bets shall be inactive on any come out roll".
        if bet.wager in PLACED and not active:
            left.append(bet)
            continue
        result = _result(bet, total, hard=hard)
        if result is not None:
            decided.append(CrapsResult(bet, result))
        # The 4 decides the wager, but the dice that made it were not keyed: it waits for them, or for its settlement.
        elif bet.wager == "four_hard" and total == HARD_TOTAL:
            unread.append(UnreadHardway(bet, game.rolls + 1))
        else:
            left.append(_pointed(bet, total))
    point = game.point
    if point == 0:
        point = total if total in POINTS else 0
    elif total in {point, _SEVEN}:
        point = 0
    earlier = [one for one in game.unread if one.bet.spot not in {new.bet.spot for new in unread}]
    return CrapsState(game.rolls + 1, point, tuple(left), tuple(decided), (*earlier, *unread))


def read_dice(game: CrapsState, *, hard: bool) -> CrapsState:
    """Return `game` with the dice of the latest roll, a total of 4, for the wagers that waited for them."""
    asked = [one for one in game.unread if one.roll == game.rolls]
    decided = tuple([CrapsResult(one.bet, "win" if hard else "lose") for one in asked])
    left = tuple([one for one in game.unread if one.roll != game.rolls])
    return CrapsState(game.rolls, game.point, game.wagers, decided, left)


def settle_unread(game: CrapsState, wager: str, spot: int) -> CrapsState:
    """Return `game` without a wager that waits for its dice, once a person settled it."""
    left = tuple([one for one in game.unread if (one.bet.wager, one.bet.spot) != (wager, spot)])
    return game if left == game.unread else CrapsState(game.rolls, game.point, game.wagers, game.decided, left)


def _result(bet: CrapsWager, total: int, *, hard: bool | None) -> Result | None:
    match bet.wager:
        case "pass" | "come":
            return _line(bet.number, total)
        case "dont_pass" | "dont_come":
            return _against(bet.number, total)
        case "place_win":
            return _first(total, win=bet.number, lose=_SEVEN)
        case "place_lose":
            return _first(total, win=_SEVEN, lose=bet.number)
        case _:
            if total == HARD_TOTAL and hard is not None:
                return "win" if hard else "lose"
            return "lose" if total == _SEVEN else None


def _line(point: int, total: int) -> Result | None:
    """Return the result of a wager on the pass or come line.

    Without a point (`point` is 0), this roll decides it or sets its point (1.2(a)1, 3).
    """
    if point == 0:
        return "win" if total in _NATURALS else "lose" if total in _CRAPS else None
    return _first(total, win=point, lose=_SEVEN)


def _first(total: int, *, win: int, lose: int) -> Result | None:
    return "win" if total == win else "lose" if total == lose else None


def _against(point: int, total: int) -> Result | None:
    """Return the result of a wager against the line: a 12 on its first roll is void (1.2(a)2iii, 4iii)."""
    if point == 0 and total == _TWELVE:
        return "void"
    line = _line(point, total)
    return None if line is None else "lose" if line == "win" else "win"


def _pointed(bet: CrapsWager, total: int) -> CrapsWager:
    """Return `bet` with this roll as its point, if it is a line wager without one."""
    lines = FROM_COME_OUT | AFTER_COME_OUT
    return CrapsWager(bet.wager, bet.spot, total) if bet.wager in lines and bet.number == 0 else bet

"""Nights of craps: wagers, throws with and without faces, and settlements, some of them wrong."""

from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Final

from pitwarden_tools.oracle.dice import Dice
from pitwarden_tools.oracle.night import Sequence
from pitwarden_tools.oracle.said import Said, Setup, TextSilentError

NUMBERS: Final = (4, 5, 6, 8, 9, 10)
RESULTS: Final = ("win", "lose", "void")
CRAPS: Final = Setup("CR", 7)


@dataclass(slots=True)
class DiceNight:
    """Lines of a table of craps. `slips`: probability of a settlement that is drawn by lot."""

    rng: Random
    slips: float
    lines: list[str] = field(default_factory=lambda: ["ft.table_open"])
    table: Dice = field(default_factory=lambda: Dice(CRAPS))

    @property
    def point(self) -> int:
        """Point that the shooter throws for, 0 on a come-out roll."""
        return self.table.point

    def key(self, line: str) -> None:
        """Append a line, as far as the texts decide it."""
        self.lines.append(line)
        with suppress(TextSilentError):
            self.table.advance(Said.of(line))

    def throw(self) -> None:
        """Place wagers, throw the dice, and settle some wagers."""
        lines = ("pass", "dont_pass") if not self.point else ("come", "dont_come")
        for spot in (1, 2):
            self._place(spot, lines)
        first, second = self.rng.choice(((2, 2), (1, 3), (self.rng.randint(1, 6), self.rng.randint(1, 6))))
        total = first + second
        self.key(f"kp.dice {total}" + (f" {first} {second}" if self.rng.random() < 0.7 else ""))  # noqa: PLR2004  most
        for spot in sorted(self.table.open_four):
            self.key(f"kp.dice_settled four_hard {self.rng.choice(RESULTS[:2])} spot={spot}")
        if self.rng.random() < self.slips:
            wager, result = self.rng.choice((*lines, "pass", "four_hard")), self.rng.choice(RESULTS)
            self.key(f"kp.dice_settled {wager} {result} spot={self.rng.choice((1, 2))}")

    def _place(self, spot: int, lines: tuple[str, str]) -> None:
        there = {(one.name, one.number) for one in self.table.laid if one.spot == spot}
        for line in (*lines, "four_hard"):
            if self.rng.random() < 0.3 and (line, 0) not in there:  # noqa: PLR2004  some
                self.key(f"kp.dice_wager {line} spot={spot}")
        if self.rng.random() < 0.4:  # noqa: PLR2004  some
            wager, number = self.rng.choice(("place_win", "place_lose")), self.rng.choice(NUMBERS)
            on = " yes" if self.rng.random() < 0.3 else ""  # noqa: PLR2004  some are called on
            if (f"{wager}_{number}", number) not in there or on:
                self.key(f"kp.dice_wager {wager} {number} {spot}{on}")


def dice_night(rng: Random) -> Sequence:
    """Return a table of craps with some throws."""
    night = DiceNight(rng, rng.choice((0.0, 0.3)))
    for _ in range(rng.choice((2, 5, 12))):
        night.throw()
    return Sequence(CRAPS, tuple(night.lines), 1)

"""Rows of a log as the oracle reads them, and the faces of cards."""

from typing import Final, Literal, NamedTuple

Kind = Literal["card", "stack", "key", "device", "floor"]
About = int | str | tuple[int, ...] | None

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = "CDHS"
MARKED: Final = frozenset({"A", "10", "J", "Q", "K"})
"""Ranks of an up card on which the dealer uses the hole-card reader."""

UNREAD: Final = 0
"""The number of a card that left the shoe without a row."""


class WorldRow(NamedTuple):
    """One row of the log.

    `name`: key, device event or floor input; `about`: box, boxes or places that a key names; `faces`: codes 0 to 51 of
    the cards that left the shoe; `up`: the shoe sensed that the card lay face up; `bit`: the reader's answer.
    """

    kind: Kind
    name: str = ""
    about: About = None
    faces: tuple[int, ...] = ()
    up: bool = False
    bit: bool = False


class Log:
    """Content of a log so far: the number of rows, and the faces of its cards by their number from 1.

    An answer of the reader counts as a card whose face is its bit.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.faces: list[int] = [-1]
        self.last: WorldRow | None = None

    def add(self, row: WorldRow) -> tuple[int, ...]:
        """Add `row`; return the numbers of the cards that it brings."""
        self.rows += 1
        self.last = row
        brought = row.faces if row.kind != "device" else (int(row.bit),) if row.name == "result" else ()
        first = len(self.faces)
        self.faces += brought
        return tuple(range(first, first + len(brought)))


def rank_of(face: int) -> str:
    """Return the rank of a face."""
    return RANKS[face % 13]


def points_of(faces: list[int]) -> int:
    """Return the points of a blackjack hand: an ace counts 11 where that does not exceed 21."""
    low = sum(min(10, face % 13 + 1) for face in faces)
    return low + 10 if low <= 11 and any(face % 13 == 0 for face in faces) else low  # noqa: PLR2004  21 less 10

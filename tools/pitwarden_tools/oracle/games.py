"""Differences between the games of the blackjack family: the deal, the windows, the draw rule, and the sentences.

36 of triple attack blackjack, 26 of double attack blackjack, 2B of Switch Hands, 2.26 of the in-between wager. Where
a game's own text is not in our sources (26.1 to 26.7; 2A.7 to 2A.15; 2.6 to 2.15) it is played by analogy with triple
attack blackjack, and nothing that ends a round follows from that (A9-11, SH-23).
"""

from dataclasses import dataclass
from typing import Final

from pitwarden_tools.oracle.said import ANALOGY, OutputBook

USUAL: Final = 8
COURT: Final = frozenset({"A", "K", "Q", "J"})
WINDOWS: Final = frozenset({"attack2", "attack3", "doubleattack"})


@dataclass(frozen=True, slots=True)
class OracleGame:
    """Game of the family. `deal`: passes to the boxes, the dealer's `up` and `hole`, and windows, in their order.

    `soft_stand`: where the dealer stands on a soft hand, 0 when our sources are silent. `steps`: what must be done
    between the deal and any additional card. `ends`: whether its own text ends rounds. `closes`: windows in the deal.
    """

    name: str
    start: str
    deal: tuple[str, ...]
    soft_stand: int
    book: OutputBook
    tens: bool = True
    checked: frozenset[str] = COURT | {"10"}
    steps: tuple[str, ...] = ()
    ends: bool = False
    closes: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """Inputs that the place of a card depends on."""
        return ("kp.boxes", self.start, "kp.close", "kp.round_end") if self.closes else (
            "kp.boxes", self.start, "kp.round_end")  # fmt: skip

    def pack(self, in_set: int) -> int:
        """Return the number of cards of a set: 36.2(a), 2B.2(a), 1.17(a)."""
        return (in_set or USUAL) * (52 if self.tens else 48)


TRIPLE: Final = OracleGame(
    "TAB",
    "kp.deal",
    ("first", "attack2", "up", "attack3", "second", "hole"),
    18,
    OutputBook({
        "count": "TAB-01", "tens": "TAB-02", "opening": "TAB-53", "unshuffled": "TAB-04", "uncut": "TAB-05",
        "recut": "TAB-08", "idle": "TAB-10|TAB-04", "fault": "TAB-45", "method": "TAB-46", "deep": "TAB-07",
        "cutting": "TAB-09", "late round": "TAB-09|TAB-04", "after void": "TAB-36|TAB-37|TAB-09|TAB-04",
        "start": "TAB-14", "attack2": "TAB-15",
        "attack3": "TAB-16", "bonus": "TAB-17", "early dealer": "TAB-19", "check": "TAB-20", "no card": "TAB-22",
        "insurance": "TAB-23", "collect": "TAB-25", "double": "TAB-26", "split": "TAB-28", "aces": "TAB-29",
        "draw": "TAB-30", "stand": "TAB-31", "moot": "TAB-32", "face up": "TAB-36", "ten": "TAB-37",
        "unexposed": "TAB-38", "first missed": "TAB-39", "exposed": "TAB-40", "over": "TAB-41", "short": "TAB-42",
        "not dealt": "TAB-43", "skipped": "TAB-44", "misuse": "TAB-47", "reader bad": "TAB-48",
    }),
    tens=False, checked=COURT, ends=True, closes=True,
)  # fmt: skip

DOUBLE: Final = OracleGame(
    "DAB",
    "kp.deal",
    ("up", "doubleattack", "first", "second", "hole"),
    17,
    OutputBook({
        "fault": "DAB-24", "method": "DAB-25", "surrender": "DAB-01", "insurance": "DAB-08", "collect": "DAB-10",
        "double": "DAB-03", "split": "DAB-05", "aces": "DAB-07", "draw": "DAB-11", "stand": "DAB-12",
        "moot": "DAB-13", "face up": "DAB-15", "ten": "DAB-16", "unexposed": "DAB-17", "first missed": "DAB-18",
        "exposed": "DAB-19", "over": "DAB-20",
        "after void": "DAB-15|DAB-16", "short": "DAB-21", "not dealt": "DAB-22", "skipped": "DAB-23",
        "misuse": "DAB-26", "reader bad": "DAB-27",
    }),
    tens=False, checked=COURT, ends=True, closes=True,
)  # fmt: skip

SWITCH: Final = OracleGame(
    "SH",
    "kp.deal",
    ("down", "down again", "first", "up", "second", "hole"),
    17,
    OutputBook({
        "count": "SH-01", "unshuffled": "SH-03", "uncut": "SH-04", "deep": "SH-04", "recut": "SH-06",
        "cutting": "SH-07", "late round": "SH-07|SH-03", "rack": "SH-08", "idle": "SH-09|SH-03",
        "record": "SH-02|G-20", "opening": "SH-02", "wager": "SH-11",
        "antes": "SH-16", "choices": "SH-17", "insurance": "SH-18",
        "face up": ANALOGY, "unexposed": ANALOGY, "exposed": ANALOGY, "over": ANALOGY, "short": ANALOGY,
        "not dealt": ANALOGY, "skipped": ANALOGY, "fault": ANALOGY, "method": ANALOGY, "misuse": ANALOGY,
        "reader bad": ANALOGY, "first missed": f"SH-15|{ANALOGY}",
    }),
    steps=("antes", "choices"),
)  # fmt: skip

BETWEEN: Final = OracleGame(
    "IB",
    "kp.no_more_bets",
    ("first", "up", "second", "hole"),
    0,
    OutputBook(
        {"wager": "IB-03", "start": "IB-04", "ib": "IB-05", "misuse": ""}
    ),  # A9-11 covers the misuse, with no number
    steps=("ib",),
)

GAMES: Final = {game.name: game for game in (TRIPLE, DOUBLE, SWITCH, BETWEEN)}

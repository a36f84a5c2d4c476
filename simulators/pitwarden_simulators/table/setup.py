"""Equipment of one table, as in its table file."""

from dataclasses import dataclass
from typing import Literal

Game = Literal[
    "triple-attack-blackjack", "double-attack-blackjack", "three-card-blitz", "blackjack-in-between", "switch-hands",
]  # fmt: skip
ReaderModel = Literal["shielded", "visible"]


@dataclass(frozen=True, slots=True)
class SimulatedTableSetup:
    """Table: its game, its decks, the abilities of its devices, and the boxes that are played.

    `in_set`: decks in each set; `tens`: whether they have their 10s; `counting`: the shuffler counts after each cycle;
    `reader`: the kind of hole-card reader, None for no reader; `hole_switch`: it has a switch under the hole card's
    place, and the dealer does not key that the deal is done; `automated`: the shoe dispenses stacks.
    """

    table: str
    game: Game
    decks: tuple[str, ...] = ("A",)
    positions: int = 6
    reader: ReaderModel | None = None
    counting: bool = True
    automated: bool = False
    most_boxes: int = 6
    least_boxes: int = 1
    in_set: int = 1
    tens: bool = True
    hole_switch: bool = False

    @property
    def cards(self) -> int:
        """Number of cards in a complete set."""
        return self.in_set * (52 if self.tens else 48)


COLOURS = {"A": "red", "B": "blue"}
"""Backs of the decks (13:69F-51.2(b)2: two decks differ)."""

TAB_SHIELDED = SimulatedTableSetup(
    "tab-shielded", "triple-attack-blackjack", reader="shielded", least_boxes=4, in_set=8, tens=False
)
TAB_VISIBLE = SimulatedTableSetup(
    "tab-visible", "triple-attack-blackjack", positions=7, most_boxes=7, reader="visible", in_set=8, tens=False
)
CB_AUTO = SimulatedTableSetup("cb-auto", "three-card-blitz", decks=("A", "B"), automated=True)
CB_MANUAL = SimulatedTableSetup("cb-manual", "three-card-blitz", counting=False)
TABLES = {setup.table: setup for setup in (TAB_SHIELDED, TAB_VISIBLE, CB_AUTO, CB_MANUAL)}
"""Tables of the first two games."""

DAB = SimulatedTableSetup("da-shielded", "double-attack-blackjack", reader="shielded", in_set=8, tens=False)
IB = SimulatedTableSetup("in-between", "blackjack-in-between", positions=7, most_boxes=7, reader="shielded", in_set=8)
SH = SimulatedTableSetup("switch-hands", "switch-hands", reader="shielded", in_set=6)
FURTHER_TABLES = {setup.table: setup for setup in (DAB, IB, SH)}
"""Tables of the three further games, whose texts are incomplete."""
ALL_TABLES = TABLES | FURTHER_TABLES

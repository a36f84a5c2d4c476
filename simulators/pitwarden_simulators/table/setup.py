"""One table's equipment, as its table file will say it."""

from dataclasses import dataclass
from typing import Literal

Game = Literal["triple-attack-blackjack", "three-card-blitz"]
ReaderModel = Literal["shielded", "visible"]


@dataclass(frozen=True, slots=True)
class TableSetup:
    """A table: its game, its decks, what its devices can do, and the boxes that are played.

    `reader`: the kind of hole-card reader, None for no reader; `counting`: the shuffler counts after each cycle;
    `automated`: the shoe dispenses stacks.
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


COLOURS = {"A": "red", "B": "blue"}
"""The backs of the decks (13:69F-51.2(b)2: two decks differ)."""

TAB_SHIELDED = TableSetup("tab-shielded", "triple-attack-blackjack", reader="shielded", least_boxes=4)
TAB_VISIBLE = TableSetup("tab-visible", "triple-attack-blackjack", positions=7, most_boxes=7, reader="visible")
CB_AUTO = TableSetup("cb-auto", "three-card-blitz", decks=("A", "B"), automated=True)
CB_MANUAL = TableSetup("cb-manual", "three-card-blitz", counting=False)
TABLES = {setup.table: setup for setup in (TAB_SHIELDED, TAB_VISIBLE, CB_AUTO, CB_MANUAL)}

"""The games that a scenario may name, and the usual table of each: profile, positions, decks in the set."""

from dataclasses import dataclass
from typing import Final, Literal

Game = Literal["TAB", "DAB", "CB", "IB", "SH"]


@dataclass(frozen=True, slots=True)
class Usual:
    """What a scenario's table is when its header does not say."""

    profile: str
    positions: int
    decks: int
    automated: bool = False


GAMES: Final[dict[Game, Usual]] = {
    "TAB": Usual("triple-attack-blackjack", positions=7, decks=8),
    "DAB": Usual("double-attack-blackjack", positions=7, decks=8),
    "CB": Usual("three-card-blitz", positions=6, decks=1, automated=True),
    "IB": Usual("blackjack-in-between", positions=7, decks=8),
    "SH": Usual("switch-hands", positions=6, decks=6),
}

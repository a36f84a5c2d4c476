"""The deals of the five games, read from the texts: 36.7(d), (e), 26.7, 2.26(e), 2B.7(d), 51.10(a)."""

from dataclasses import dataclass
from typing import Final, Literal

Title = Literal[
    "triple-attack-blackjack", "double-attack-blackjack", "blackjack-in-between", "switch-hands", "three-card-blitz",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pass:
    """Pass of the deal: a card to each box, or to the dealer; the name of its key, empty for none."""

    place: str
    up: bool
    ends: str = ""
    dealer: bool = False


@dataclass(frozen=True, slots=True)
class WorldGame:
    """Deal and habits of a game, as the oracle uses them.

    `passes`: the deal but its last pass to the boxes and the hole card; `start`: the key before the deal; `after`: the
    key between deal and play; `bonus`: bonus wagers of each box are settled before it plays; `choice`: each box keeps
    or switches its pair; `burns`: a new dealer burns; `shows_burn`: a player may request to see that card;
    `exposed`: the text has exposed cards (36.14(e)) and cards that were not dealt (36.14(i)); `tens`: the pack has 10s;
    `copies`: decks in the pack.
    """

    short: str
    title: Title
    passes: tuple[Pass, ...]
    start: str = "deal"
    after: str = ""
    bonus: bool = False
    choice: bool = False
    burns: bool = True
    shows_burn: bool = False
    exposed: bool = True
    tens: bool = True
    copies: int = 6


GAMES: Final = {
    game.short: game
    for game in (
        WorldGame(
            "TAB",
            "triple-attack-blackjack",
            (Pass("first", up=True, ends="close attack2"), Pass("up", up=True, ends="close attack3", dealer=True)),
            bonus=True,
            shows_burn=True,
            tens=False,
            copies=8,
        ),
        WorldGame(
            "DAB",
            "double-attack-blackjack",
            (Pass("up", up=True, ends="close doubleattack", dealer=True), Pass("first", up=True)),
            tens=False,
        ),
        WorldGame(
            "IB",
            "blackjack-in-between",
            (Pass("first", up=True), Pass("up", up=True, dealer=True)),
            start="no_more_bets",
            after="ib_settled",
            exposed=False,
        ),
        WorldGame(
            "SH",
            "switch-hands",
            (
                Pass("down0", up=False),
                Pass("down1", up=False),
                Pass("first", up=True),
                Pass("up", up=True, dealer=True),
            ),
            after="antes_collected",
            choice=True,
            shows_burn=True,
        ),
        WorldGame("CB", "three-card-blitz", (), start="no_more_bets", burns=False, exposed=False, copies=1),
    )
}
"""The games by their short names."""

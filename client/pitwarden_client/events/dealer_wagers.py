"""Dealer acts on wagers, windows and settlement, and on dice."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden_client.events.base import Box, Ident, Record

Window = Literal["attack2", "attack3", "insurance", "doubleattack", "ib"]
WagerKind = Literal[
    "first_attack", "attack2", "attack3", "suited_royals", "triple_match", "insurance", "double", "split",
    "ante", "blind", "play", "flush_bonus", "progressive", "ib", "doubleattack", "blackjack", "bonus",
]  # fmt: skip
SettledAs = Literal["win", "lose", "push", "returned", "half"]
Half = Literal["", "b", "c", "d"]
"""Hand of a box after splits: the first, then those that the splits made."""


class KpNoMoreBets(Record):
    """The dealer announced that no more bets are taken (13:69F-51.6(b))."""

    act: Literal["kp.no_more_bets"] = "kp.no_more_bets"


class KpOpen(Record):
    """A wager window opened."""

    act: Literal["kp.open"] = "kp.open"
    window: Window


class KpClose(Record):
    """A wager window closed: each player placed or declined."""

    act: Literal["kp.close"] = "kp.close"
    window: Window


class KpWager(Record):
    """A wager of a kind was placed on a box. Amounts are not sensed; they are known only when keyed, in cents.

    `bettor`: number of the bettor, counted from the dealer's side of the box; the first calls the decisions
    (19:47-36.12(c)). `name`: which bonus wager it is, where the game has bonus wagers with names of their own.
    """

    act: Literal["kp.wager"] = "kp.wager"
    wager: WagerKind
    box: Box
    cents: Annotated[int, Field(ge=0, le=10**12)] | None = None
    bettor: Annotated[int, Field(ge=1, le=9)] = 1
    name: Ident | None = None

    @property
    def called(self) -> str:
        """The wager's own name, or its kind."""
        return self.name or self.wager


class KpBonusSettled(Record):
    """The bonus wagers of a box were announced and settled (19:47-36.7(f))."""

    act: Literal["kp.bonus_settled"] = "kp.bonus_settled"
    box: Box


class KpInsuranceSettled(Record):
    """Losing insurance wagers were collected (19:47-36.10(d))."""

    act: Literal["kp.insurance_settled"] = "kp.insurance_settled"


class KpIbSettled(Record):
    """All in-between wagers are settled (19:47-2.26(e))."""

    act: Literal["kp.ib_settled"] = "kp.ib_settled"


class KpAntesCollected(Record):
    """All antes are collected (13:69F-2B.7(e))."""

    act: Literal["kp.antes_collected"] = "kp.antes_collected"


class KpSettled(Record):
    """A wager of a box was settled: the result if keyed, and the hand after splits. `name`: as in `kp.wager`."""

    act: Literal["kp.settled"] = "kp.settled"
    box: Box
    wager: WagerKind
    result: SettledAs | None = None
    hand: Half | None = None
    name: Ident | None = None

    @property
    def called(self) -> str:
        """The wager's own name, or its kind."""
        return self.name or self.wager


class KpCollected(Record):
    """The cards of a deck were placed in the discard rack (two-deck games)."""

    act: Literal["kp.collected"] = "kp.collected"
    deck: Ident


DiceWager = Literal["pass", "dont_pass", "come", "dont_come", "place_win", "place_lose", "four_hard"]
PlaceNumber = Literal[4, 5, 6, 8, 9, 10]
Face = Annotated[int, Field(ge=1, le=6)]
Spot = Annotated[int, Field(ge=1, le=24)]


class KpDice(Record):
    """The dice were thrown: their total, and the face of each where it was recorded (19:47-1.2)."""

    act: Literal["kp.dice"] = "kp.dice"
    total: Annotated[int, Field(ge=2, le=12)]
    first: Face | None = None
    second: Face | None = None


class KpDiceWager(Record):
    """A wager at craps was placed, or called on. `number` is for place bets only; `spot` distinguishes players."""

    act: Literal["kp.dice_wager"] = "kp.dice_wager"
    wager: DiceWager
    number: PlaceNumber | None = None
    spot: Spot = 1
    on: bool = False


class KpDiceSettled(Record):
    """A wager at craps was settled, with this result."""

    act: Literal["kp.dice_settled"] = "kp.dice_settled"
    wager: DiceWager
    result: Literal["win", "lose", "void"]
    number: PlaceNumber | None = None
    spot: Spot = 1

"""Craps: throws, wagers and their settlement."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden.events.base import Record

DiceWager = Literal["pass", "dont_pass", "come", "dont_come", "place_win", "place_lose", "four_hard"]
PlaceNumber = Literal[4, 5, 6, 8, 9, 10]
Face = Annotated[int, Field(ge=1, le=6)]
Spot = Annotated[int, Field(ge=1, le=24)]


class KpDice(Record):
    """The dice were thrown: their total, and the face of each where that was looked at (19:47-1.2)."""

    act: Literal["kp.dice"] = "kp.dice"
    total: Annotated[int, Field(ge=2, le=12)]
    first: Face | None = None
    second: Face | None = None


class KpDiceWager(Record):
    """A wager at craps was placed, or called on; `number` for place bets alone, `spot` tells players apart."""

    act: Literal["kp.dice_wager"] = "kp.dice_wager"
    wager: DiceWager
    number: PlaceNumber | None = None
    spot: Spot = 1
    on: bool = False


class KpDiceSettled(Record):
    """A wager at craps was settled, and how."""

    act: Literal["kp.dice_settled"] = "kp.dice_settled"
    wager: DiceWager
    result: Literal["win", "lose", "void"]
    number: PlaceNumber | None = None
    spot: Spot = 1

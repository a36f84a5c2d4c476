"""Cards that left the shoe, the hands made of them, and the use of the hole-card reader.

Threat: anyone who reads the bus or a log line. Hidden faces and the reader's bit have no repr.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

DrawFate = Literal["", "card", "burn", "ten", "joker", "up", "extra", "burned", "dead"]
"""Destination of a drawn card; empty before the first. `card`: a hand of the deal or of the play. `burn`: the burn
card. `ten`, `joker`, `up`: a card found in the shoe. `extra`: no destination yet. `burned`: burned since the dealer's
total stands. `dead`: a round that is void."""


@dataclass(frozen=True)
class DrawnCard:
    """One card that left the shoe. Identified by `place`."""

    epoch: str
    number: int
    """Number of the log row, in `epoch`, on which it left the shoe."""
    index: int
    """Place of the card in that row, from 0: more than one in a stack."""
    at_ms: int
    """Log time of the row in milliseconds."""
    face: int = field(repr=False)
    """Face as in `card_faces`; -1 in place of a face that is unknown to the rules."""
    exposed: bool = False
    """True after it was keyed as drawn in error and seen by the players."""
    burn: bool = False
    """True where a burn was due when the card was drawn."""

    @property
    def row(self) -> str:
        """Log row on which the card left the shoe, as `epoch:number`. Log numbers begin at 1 in each epoch."""
        return f"{self.epoch}:{self.number}"

    @cached_property
    def place(self) -> tuple[str, int, int]:
        """Key of this draw: epoch, number and index. Cached, as no copy of a card changes one of them."""
        return self.epoch, self.number, self.index


@dataclass(frozen=True)
class PlayerHand:
    """A player's hand during play."""

    box: int
    half: str = ""
    """Empty for the first hand of a box, then `b`, `c`, `d` after splits."""
    cards: tuple[DrawnCard, ...] = ()
    done: bool = False
    """True after a key that ends the hand: stand, a double's card, surrender, a dead hand."""
    doubled: bool = False
    """True after a double; one more card completes the hand."""
    ace: bool = False
    """True for a split ace."""
    passed: bool = False
    """True where the next hand of the box was dealt its card although no key ended this one. The hand holds an unread
    card, or is a split ace with its one card."""

    @property
    def target(self) -> str:
        """Name of the hand in a slot, such as `box2` or `box2b`."""
        return f"box{self.box}{self.half}"


@dataclass(frozen=True)
class ReaderUse:
    """Use of the hole-card reader in this round."""

    inserted: int = 0
    """Number of the log row on which a card was inserted; 0 before."""
    inserted_ms: int = 0
    """Log time of that row in milliseconds."""
    answered: int = 0
    """Number of the log row of the answer; 0 before."""
    epoch: str = ""
    """Epoch of both numbers."""
    misused: bool = False
    """True when the up card does not call for the reader: its answer is never published."""
    empty: bool = False
    """True when no hole card was dealt at the insertion: the answer is no check of it, and is dropped."""
    failed: bool = False
    """True when the reader was not usable, or answered late: there is no answer in this round (36.14(m))."""
    said: bool = False
    """True once the answer was published."""
    bit: bool | None = field(default=None, repr=False)
    """Sealed answer, True for a blackjack; None before it."""

"""Wagers of one round: stakes and settlements as they were keyed, and outcomes as they were announced."""

from dataclasses import dataclass

from pitwarden_client.events.outputs import WagerOutcome


@dataclass(frozen=True)
class WagerStake:
    """Wager as it was keyed. Bettors of a box are numbered from 1: the player who calls the decisions."""

    wager: str
    box: int
    bettor: int
    cents: int | None
    """Amount; None where it was not keyed."""


@dataclass(frozen=True)
class KeyedSettlement:
    """Settlement as it was keyed, with its result."""

    wager: str
    box: int
    half: str | None
    """Hand as in `PlayerHand.half`; None where it was not named."""
    result: str
    number: int
    """Number of the log row on which it was keyed."""


@dataclass(frozen=True)
class RoundWagers:
    """Wagers of one round: keyed stakes and settlements, and the outcomes that were announced."""

    stakes: tuple[WagerStake, ...] = ()
    paid: tuple[KeyedSettlement, ...] = ()
    """Settlements that were keyed with a result, in the order of keying."""
    surrendered: tuple[int, ...] = ()
    """Boxes that surrendered."""
    dead: tuple[str, ...] = ()
    """Hands that were called dead, such as `box2b`."""
    told: tuple[WagerOutcome, ...] = ()
    """Latest announced outcome of each wager of each hand."""


NONE = RoundWagers()
"""Wagers of a round in which no wager was keyed and none is decided yet."""

"""What is known of the wagers of a round: keyed stakes and settlements, and the outcomes said so far."""

from dataclasses import dataclass

from pitwarden_client.events.outputs import WagerOutcome


@dataclass(frozen=True)
class Stake:
    """A keyed wager; `cents` is None where the amount was not keyed."""

    wager: str
    box: int
    bettor: int
    cents: int | None


@dataclass(frozen=True)
class Paid:
    """A keyed settlement with its result; `half` is None where the hand was not named. `number`: its row of the log."""

    wager: str
    box: int
    half: str | None
    result: str
    number: int


@dataclass(frozen=True)
class Bets:
    """The wagers of one round. `surrendered`: boxes; `dead`: hands, as `box2b`, that were called dead."""

    stakes: tuple[Stake, ...] = ()
    paid: tuple[Paid, ...] = ()
    surrendered: tuple[int, ...] = ()
    dead: tuple[str, ...] = ()
    told: tuple[WagerOutcome, ...] = ()


NONE = Bets()
"""A round in which no wager was keyed and none is decided yet."""

"""Log rows as the rules core reads them, and the outputs of the rules core.

Opened secrets are separate fields of the row, never part of its event: an event can be printed or stored without them.
"""

from dataclasses import dataclass, field

from pitwarden_client.events.device import DeviceEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Notice, Outcomes, Refused, RevealCorrected
from pitwarden_client.events.table import TableEvent


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One log row with its opened secrets. Secrets have no repr, so that no log line or traceback can show them."""

    epoch: str
    number: int
    """Position in `epoch`, from 1 without gaps."""
    log_ms: int
    """Log time in milliseconds; never runs back within a table's log. All deadlines use it."""
    utc_ms: int
    """Wall clock in milliseconds of UTC; may run back."""
    source: str
    """Device or terminal that the event comes from."""
    data: DeviceEvent | InputLogged | TableEvent
    faces: tuple[int, ...] = field(default=(), repr=False)
    """Faces of the cards in the row, from 0 to 52 (a joker); empty where the shoe does not read or the row has no
    cards."""
    bit: bool | None = field(default=None, repr=False)
    """Answer of the hole-card reader (True: the dealer has a blackjack); None in all other rows."""
    unreadable: bool = False
    """True when a seal could not be opened, or its content did not match the published commitment."""
    gaming_day: int | None = None
    """Number of the house's gaming day, in days since 1970-01-01; None in rows from before the log had it."""


@dataclass(frozen=True, slots=True)
class RevealDue:
    """Order to publish one card: it is public from this row on.

    Slots are `box2.1` (box, card from 1), `box2b.3` (second hand after a split), `dealer.1`, `burn`, and `found`. The
    slot `found` is for a stray 10, a card found face up and an unauthorized card.
    """

    epoch: str
    event: int
    """Number of the log row, in `epoch`, on which the card left the shoe."""
    index: int
    """Place of the card in that row, from 0."""
    slot: str
    face: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class AnswerDue:
    """Order to publish the hole-card reader's answer: it is public from this row on."""

    epoch: str
    event: int
    """Number of the log row of the answer, in `epoch`."""
    bit: bool = field(repr=False)


RuleOutput = Irregularity | Duty | Notice | Refused | CheckFailed | Outcomes | RevealCorrected | RevealDue | AnswerDue

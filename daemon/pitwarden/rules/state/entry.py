"""A log row as the rules core hears it: opened seals beside the event, never in it."""

from dataclasses import dataclass, field

from pitwarden_client.events.device import DeviceEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Notice, Outcomes, Refused, RevealCorrected
from pitwarden_client.events.table import TableEvent


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One log row. `source` is the device or terminal; `faces` and `bit` are what its seals held.

    `log_ms` never runs back; `utc_ms` may. `unreadable`: a seal could not be opened or its commitment did not agree.
    """

    epoch: str
    number: int
    log_ms: int
    utc_ms: int
    source: str
    data: DeviceEvent | InputLogged | TableEvent
    faces: tuple[int, ...] = field(default=(), repr=False)
    bit: bool | None = field(default=None, repr=False)
    unreadable: bool = False


@dataclass(frozen=True, slots=True)
class RevealDue:
    """The card of log row `event` (in this epoch), at `index` in it, is public from here on, in `slot`.

    Slots: `burn`, `box2.1` (box, card from 1), `box2b.3` (second hand after a split), `dealer.1`, `found` (a stray 10,
    a face-up or unauthorised card).
    """

    epoch: str
    event: int
    index: int
    slot: str
    face: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class AnswerDue:
    """The reader's answer of log row `event` is public from here on."""

    epoch: str
    event: int
    bit: bool = field(repr=False)


RuleOutput = Irregularity | Duty | Notice | Refused | CheckFailed | Outcomes | RevealCorrected | RevealDue | AnswerDue

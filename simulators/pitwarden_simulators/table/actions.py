"""What people do, one at a time. A runner performs an action and resumes the script once the table's log shows it."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.floor import FloorAct
from pitwarden_client.events.inputs import Role
from pitwarden_client.events.outputs import Irregularity

DeviceName = Literal["shoe", "shuffler", "reader", "keypad"]


@dataclass(frozen=True, slots=True)
class KeyPress:
    """A person keys an act on a terminal."""

    role: Role
    person: str
    act: DealerAct | FloorAct


@dataclass(frozen=True, slots=True)
class Heard:
    """Something was done to a device: go on when the device has been told that all its events are stored."""

    device: DeviceName


@dataclass(frozen=True, slots=True)
class Wait:
    """Time passes: `ms` at the speed of real play; `whole`: so much time of the log, however fast the play."""

    ms: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """Go on when the judge has judged all that is logged so far; the answer is what it then shows."""


@dataclass(frozen=True, slots=True)
class Green:
    """Go on when the table shows that dealing is permitted, judged on all that is logged so far."""


@dataclass(frozen=True, slots=True)
class Cable:
    """A device is unplugged, plugged in again, started anew, or there is noise on its line."""

    device: DeviceName
    what: Literal["unplug", "replug", "reboot", "noise"]


Action = KeyPress | Heard | Wait | Seen | Green | Cable


@dataclass(frozen=True, slots=True)
class Desk:
    """What the judge shows to people: the deal permit and the open irregularities."""

    granted: bool = True
    reasons: tuple[str, ...] = ()
    open: tuple[Irregularity, ...] = field(default=())


T = TypeVar("T")
Script = Generator[Action, Desk, T]
"""People at work: yields actions, receives the desk as it stood when each was done."""

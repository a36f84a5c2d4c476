"""Acts of people, one at a time. A runner performs an action and resumes the script once the table's log shows it."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from pitwarden_client.events.base import Role
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.floor import FloorAct
from pitwarden_client.events.outputs import Irregularity

DeviceName = Literal["shoe", "shuffler", "reader", "keypad"]


@dataclass(frozen=True, slots=True)
class KeyPress:
    """Input that a person keys on a terminal."""

    role: Role
    person: str
    act: DealerAct | FloorAct


@dataclass(frozen=True, slots=True)
class AwaitStored:
    """Act on a device. The script resumes when all events of the device are acknowledged as stored."""

    device: DeviceName


@dataclass(frozen=True, slots=True)
class Wait:
    """Pause: `ms` at the speed of real play; `whole`: of log time, at any speed."""

    ms: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class AwaitJudged:
    """Wait until the judge has evaluated all that is logged so far; the answer is what it then publishes."""


@dataclass(frozen=True, slots=True)
class AwaitPermit:
    """Wait until the table displays that dealing is permitted, judged on all that is logged so far."""


@dataclass(frozen=True, slots=True)
class Cable:
    """Act on a cable: a device is unplugged, plugged in again, restarted, or has noise on its line."""

    device: DeviceName
    what: Literal["unplug", "replug", "reboot", "noise"]


Action = KeyPress | AwaitStored | Wait | AwaitJudged | AwaitPermit | Cable


@dataclass(frozen=True, slots=True)
class TableDisplay:
    """Display of the judge's state: the deal permit and the open irregularities."""

    granted: bool = True
    reasons: tuple[str, ...] = ()
    open: tuple[Irregularity, ...] = field(default=())


T = TypeVar("T")
Script = Generator[Action, TableDisplay, T]
"""People at work: a generator of actions that receives what is displayed after each."""

"""What a map file says: what a device's lines look like and what they mean."""

from typing import Annotated, Final, Literal

from pitwarden_client.events.device import CommandName
from pydantic import BaseModel, ConfigDict, Field

from pitwarden_drivers.api import Family
from pitwarden_drivers.mapping.checksum import Kind as ChecksumKind
from pitwarden_drivers.mapping.meaning import Kind

MAX_LINE: Final = 1_024
Pattern = Annotated[str, Field(min_length=1, max_length=500)]
Ask = Annotated[str, Field(max_length=200, pattern=r"^[ -~]*$")]
Period = Annotated[int, Field(ge=100, le=60_000)]


class Part(BaseModel):
    """What every table of a map file is: nothing unknown, nothing guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Checksum(Part):
    """How a line's checksum is written: `pattern` has the groups `body` and `sum` (hexadecimal)."""

    kind: ChecksumKind
    pattern: Pattern


class Identify(Part):
    """The question and the answer that prove who is there: `pattern` has the groups `serial` and `firmware`."""

    ask: Ask = ""
    pattern: Pattern


class Heartbeat(Part):
    """A question that is asked again and again, so that a silent device is noticed. `pattern`: an answer to it."""

    ask: Ask
    every_ms: Period = 1_000
    pattern: Pattern


class Event(Part):
    """Which lines are an event. Its fields come from groups, from `constant`, by `word` lists, and times `scale`."""

    pattern: Pattern
    kind: Kind
    constant: dict[str, str | int] = {}
    words: dict[str, dict[str, str]] = {}
    scale: dict[str, Annotated[int, Field(ge=1, le=1_000)]] = {}


class Command(Part):
    """How a command is sent, and the line that says that it was done."""

    ask: Ask
    pattern: Pattern
    refused: Pattern | None = None


class Trial(Part):
    """One line of the test block and what it must give: an event's kind, `identity`, `heartbeat`, or `unknown`."""

    line: str
    gives: str


class MapFile(Part):
    """A device's map."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
    family: Family
    end: Literal["\n", "\r", "\r\n"] = "\r\n"
    longest: Annotated[int, Field(ge=8, le=MAX_LINE)] = 200
    start: tuple[Ask, ...] = ()
    identify: Identify
    checksum: Checksum | None = None
    heartbeat: Heartbeat | None = None
    silent_after_ms: Period = 5_000
    events: Annotated[tuple[Event, ...], Field(min_length=1, max_length=200)]
    commands: dict[CommandName, Command] = {}
    ignore: tuple[Pattern, ...] = ()
    test: Annotated[tuple[Trial, ...], Field(min_length=1)]

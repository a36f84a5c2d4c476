"""Map files: their model, and reading one whose shape is right.

A map states the form of a device's lines or frames and their meaning. A wrong map is rejected with the place and the
nearest known word.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from pitwarden_client.events.device import CommandName
from pitwarden_drivers.api import Family
from pitwarden_drivers.mapping.checksums import ChecksumKind
from pitwarden_drivers.mapping.link_rules import (
    AckRule,
    Ask,
    FrameCheckRule,
    FramingRule,
    MapSection,
    Pattern,
    Period,
    PollRule,
)
from pitwarden_drivers.mapping.map_wording import problem
from pitwarden_drivers.mapping.meaning import Kind
from pitwarden_drivers.user_files import UserFileError, read_user_file

# Bytes of the longest line or frame that a map may allow.
MAX_LINE: Final = 1_024


class Checksum(MapSection):
    """Form of a line's checksum: `pattern` has the groups `body` and `sum` (hexadecimal).

    Without `pattern`, a line ends with `*` and the digits, as in NMEA 0183.
    `write`: how a line to the device is written, with `{body}` and `{sum}`; without it, lines are sent as they are.
    """

    kind: ChecksumKind
    pattern: Pattern = r"(?P<body>.*)\*(?P<sum>[0-9A-Fa-f]{2,8})"
    write: Ask | None = None


class IdentifyRule(MapSection):
    """Query and answer that identify the device: `pattern` has the groups `serial` and `firmware`."""

    ask: Ask = ""
    pattern: Pattern


class HeartbeatRule(MapSection):
    """Query that is repeated to detect a silent device. `pattern` matches an answer to it."""

    ask: Ask
    every_ms: Period = 1_000
    pattern: Pattern


class EventRule(MapSection):
    """Lines that are an event. Its fields come from groups, from `constant`, by `word` lists, and times `scale`."""

    pattern: Pattern
    kind: Kind
    constant: Mapping[str, str | int] = {}
    words: Mapping[str, Mapping[str, str]] = {}
    scale: Mapping[str, Annotated[int, Field(ge=1, le=1_000)]] = {}


class CommandRule(MapSection):
    """Line that sends a command, and the line that confirms it.

    Without `pattern` the acknowledgement of `[ack]` confirms it.
    """

    ask: Ask
    pattern: Pattern | None = None
    refused: Pattern | None = None


class TestLine(MapSection):
    """Line of the test block and its expected reading: an event's kind, `identity`, `heartbeat`, or `unknown`.

    `frame` is a complete frame in hexadecimal, for example a worked example of the device's manual.
    """

    line: str | None = None
    frame: str | None = None
    gives: str

    @property
    def shown(self) -> str:
        """The line, or the digits of the frame."""
        return self.frame if self.frame is not None else self.line or ""


class MapFile(MapSection):
    """Complete map of a device."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
    family: Family
    end: Literal["\n", "\r", "\r\n"] = "\r\n"
    longest: Annotated[int, Field(ge=8, le=MAX_LINE)] = 200
    start: tuple[Ask, ...] = ()
    identify: IdentifyRule
    checksum: Checksum | None = None
    framing: FramingRule | None = None
    ack: AckRule | None = None
    poll: PollRule | None = None
    heartbeat: HeartbeatRule | None = None
    silent_after_ms: Period = 5_000
    events: Annotated[tuple[EventRule, ...], Field(min_length=1, max_length=200)]
    commands: Mapping[CommandName, CommandRule] = {}
    ignore: tuple[Pattern, ...] = ()
    tests: Mapping[str, str] = {}
    """Lines and what each must give, as `"LINE" = "shuffler.done"`."""
    test: tuple[TestLine, ...] = ()

    @property
    def trials(self) -> tuple[tuple[str, TestLine], ...]:
        """Every line and frame of the test blocks, each with its place."""
        short = ((f"tests.{line!r}", TestLine(line=line, gives=gives)) for line, gives in self.tests.items())
        return (*((f"test.{at}", trial) for at, trial in enumerate(self.test)), *short)


class MapFileError(ValueError):
    """The map file is wrong. Policy: refuse the table file.

    Example: a pattern without the group that its event needs.
    """


def read_map(file: Path) -> MapFile:
    """Return the map at `file`, whose shape is right; `load_map` checks the rest.

    Raises:
        MapFileError: The shape is wrong; the message has every problem with its place.
    """
    try:
        return MapFile.model_validate(_renamed(read_user_file(file)))
    except UserFileError as error:
        raise MapFileError(str(error)) from None
    except ValidationError as error:
        raise MapFileError(
            "\n".join(f"{file}: {problem(one, _keys())}" for one in error.errors(include_url=False))
        ) from None


def _renamed(tree: dict[str, object]) -> dict[str, object]:
    """Return the tree with TOML's singular array names in the plural: `[[event]]` becomes `events`."""
    named = {"event": "events", "command": "commands"}
    return {named.get(key, key): value for key, value in tree.items()}


def _keys() -> list[str]:
    parts = (
        MapFile, Checksum, FramingRule, FrameCheckRule, AckRule, PollRule, IdentifyRule, HeartbeatRule, EventRule,
        CommandRule, TestLine,
    )  # fmt: skip
    return sorted({key for part in parts for key in part.model_fields} | {"event", "command"})

"""Map files: models, loading and validation.

A map states the form of a device's lines and their meaning. Beyond its shape, patterns and the fields of events are
validated. A wrong map is rejected with the place and the nearest known word.
"""

from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwarden_client.events.device import CommandName
from pitwarden_drivers.api import Family
from pitwarden_drivers.mapping.meaning import FIELDS, Kind
from pitwarden_drivers.mapping.wire import Kind as ChecksumKind
from pitwarden_drivers.user_files import PatternError, UserFileError, named_groups, nearest_word, read_user_file

MAX_LINE: Final = 1_024
Pattern = Annotated[str, Field(min_length=1, max_length=500)]
Ask = Annotated[str, Field(max_length=200, pattern=r"^[ -~]*$")]
Period = Annotated[int, Field(ge=100, le=60_000)]


class MapSection(BaseModel):
    """Table of a map file: unknown keys are errors, types are not coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Checksum(MapSection):
    """Form of a line's checksum: `pattern` has the groups `body` and `sum` (hexadecimal)."""

    kind: ChecksumKind
    pattern: Pattern


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
    constant: dict[str, str | int] = {}
    words: dict[str, dict[str, str]] = {}
    scale: dict[str, Annotated[int, Field(ge=1, le=1_000)]] = {}


class CommandRule(MapSection):
    """Line that sends a command, and the line that confirms it."""

    ask: Ask
    pattern: Pattern
    refused: Pattern | None = None


class TestLine(MapSection):
    """Line of the test block and its expected reading: an event's kind, `identity`, `heartbeat`, or `unknown`."""

    line: str
    gives: str


class MapFile(MapSection):
    """Complete map of a device."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
    family: Family
    end: Literal["\n", "\r", "\r\n"] = "\r\n"
    longest: Annotated[int, Field(ge=8, le=MAX_LINE)] = 200
    start: tuple[Ask, ...] = ()
    identify: IdentifyRule
    checksum: Checksum | None = None
    heartbeat: HeartbeatRule | None = None
    silent_after_ms: Period = 5_000
    events: Annotated[tuple[EventRule, ...], Field(min_length=1, max_length=200)]
    commands: dict[CommandName, CommandRule] = {}
    ignore: tuple[Pattern, ...] = ()
    test: Annotated[tuple[TestLine, ...], Field(min_length=1)]


def check_patterns(made: MapFile) -> list[str]:
    """Return the problems of patterns that RE2 rejects, or that lack a group."""
    wanted: list[tuple[str, str, tuple[str, ...]]] = [("identify", made.identify.pattern, ("serial", "firmware"))]
    if made.checksum is not None:
        wanted.append(("checksum", made.checksum.pattern, ("body", "sum")))
    if made.heartbeat is not None:
        wanted.append(("heartbeat", made.heartbeat.pattern, ()))
    wanted += [(f"ignore.{at}", pattern, ()) for at, pattern in enumerate(made.ignore)]
    wanted += [(f"event.{at}", event.pattern, ()) for at, event in enumerate(made.events)]
    for name, command in made.commands.items():
        wanted.append((f"command.{name}", command.pattern, ()))
        wanted += [(f"command.{name}.refused", command.refused, ())] if command.refused else []
    problems: list[str] = []
    for place, pattern, groups in wanted:
        try:
            found = named_groups(pattern)
        except PatternError as error:
            problems.append(f"{place}.pattern: {error}")
            continue
        missing = (group for group in groups if group not in found)
        problems += [f"{place}.pattern: the group (?P<{group}>...) is missing" for group in missing]
    return problems


def check_fields(made: MapFile) -> list[str]:
    """Return the problems of events with missing or unknown fields."""
    problems: list[str] = []
    for at, event in enumerate(made.events):
        place = f"event.{at} ({event.kind})"
        if event.kind.split(".")[0] != made.family:
            problems.append(f"{place}: is no event of a {made.family}")
        try:
            groups = set(named_groups(event.pattern))
        except PatternError:  # `check_patterns` reports it
            continue
        known = FIELDS[event.kind]
        given = groups | set(event.constant)
        problems += [
            f"{place}: there is no field {name!r}{nearest_word(name, list(known))}"
            for name in sorted(given - set(known))
        ]
        problems += [
            f"{place}: the field {name!r} comes from nowhere"
            for name, must in known.items()
            if must and name not in given
        ]
        problems += [
            f"{place}: {name!r} is translated or scaled, but is no group"
            for name in sorted((set(event.words) | set(event.scale)) - groups)
        ]
    return problems


class MapFileError(ValueError):
    """The map file is wrong. Policy: refuse the table file.

    Example: a pattern without the group that its event needs.
    """


def load_map(file: Path) -> MapFile:
    """Return the map at `file`.

    Raises:
        MapFileError: The map is wrong; the message has every problem with its place.
    """
    try:
        made = MapFile.model_validate(_renamed(read_user_file(file)))
    except UserFileError as error:
        raise MapFileError(str(error)) from None
    except ValidationError as error:
        raise MapFileError("\n".join(f"{file}: {one}" for one in _problems(error))) from None
    problems = [*check_patterns(made), *check_fields(made)]
    if problems:
        raise MapFileError("\n".join(f"{file}: {one}" for one in problems))
    return made


def _renamed(tree: dict[str, object]) -> dict[str, object]:
    """Return the tree with TOML's singular array names in the plural: `[[event]]` becomes `events`."""
    named = {"event": "events", "command": "commands"}
    return {named.get(key, key): value for key, value in tree.items()}


def _problems(error: ValidationError) -> list[str]:
    problems: list[str] = []
    for one in error.errors(include_url=False):
        place = ".".join(str(part) for part in one["loc"])
        reason = one["msg"]
        if one["type"] == "extra_forbidden":
            reason = "is no known key" + nearest_word(str(one["loc"][-1]), _keys())
        elif one["type"] == "literal_error":
            reason += nearest_word(str(one["input"]), [*FIELDS, *get_args(ChecksumKind), *get_args(Family)])
        problems.append(f"{place}: {reason}")
    return problems


def _keys() -> list[str]:
    parts = (MapFile, Checksum, IdentifyRule, HeartbeatRule, EventRule, CommandRule, TestLine)
    return sorted({key for part in parts for key in part.model_fields} | {"event", "command"})

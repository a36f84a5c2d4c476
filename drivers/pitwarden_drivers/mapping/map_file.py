"""Map files: models, loading, checks.

What a map file says: what a device's lines look like and what they mean.

What is wrong with a map beyond its shape: patterns that cannot be used, events whose fields are not theirs.

Loads a map file. A wrong one is refused with the place and the nearest known word.
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
    """What every table of a map file is: nothing unknown, nothing guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Checksum(MapSection):
    """How a line's checksum is written: `pattern` has the groups `body` and `sum` (hexadecimal)."""

    kind: ChecksumKind
    pattern: Pattern


class IdentifyRule(MapSection):
    """The question and the answer that prove who is there: `pattern` has the groups `serial` and `firmware`."""

    ask: Ask = ""
    pattern: Pattern


class HeartbeatRule(MapSection):
    """A question that is asked again and again, so that a silent device is noticed. `pattern`: an answer to it."""

    ask: Ask
    every_ms: Period = 1_000
    pattern: Pattern


class EventRule(MapSection):
    """Which lines are an event. Its fields come from groups, from `constant`, by `word` lists, and times `scale`."""

    pattern: Pattern
    kind: Kind
    constant: dict[str, str | int] = {}
    words: dict[str, dict[str, str]] = {}
    scale: dict[str, Annotated[int, Field(ge=1, le=1_000)]] = {}


class CommandRule(MapSection):
    """How a command is sent, and the line that says that it was done."""

    ask: Ask
    pattern: Pattern
    refused: Pattern | None = None


class TestLine(MapSection):
    """One line of the test block and what it must give: an event's kind, `identity`, `heartbeat`, or `unknown`."""

    line: str
    gives: str


class MapFile(MapSection):
    """A device's map."""

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
    """Patterns that RE2 does not take, or that lack a group."""
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
    said: list[str] = []
    for place, pattern, groups in wanted:
        try:
            found = named_groups(pattern)
        except PatternError as error:
            said.append(f"{place}.pattern: {error}")
            continue
        said += [f"{place}.pattern: the group (?P<{group}>...) is missing" for group in groups if group not in found]
    return said


def check_fields(made: MapFile) -> list[str]:
    """Events whose fields are not all there, or not theirs."""
    said: list[str] = []
    for at, event in enumerate(made.events):
        place = f"event.{at} ({event.kind})"
        if event.kind.split(".")[0] != made.family:
            said.append(f"{place}: is no event of a {made.family}")
        try:
            groups = set(named_groups(event.pattern))
        except PatternError:  # said above
            continue
        known = FIELDS[event.kind]
        given = groups | set(event.constant)
        said += [
            f"{place}: there is no field {name!r}{nearest_word(name, list(known))}"
            for name in sorted(given - set(known))
        ]
        said += [
            f"{place}: the field {name!r} comes from nowhere"
            for name, must in known.items()
            if must and name not in given
        ]
        said += [
            f"{place}: {name!r} is translated or scaled, but is no group"
            for name in sorted((set(event.words) | set(event.scale)) - groups)
        ]
    return said


class MapFileError(ValueError):
    """A map file is wrong. Policy: refuse the table file. Example: a pattern without the group that its event needs."""


def load_map(file: Path) -> MapFile:
    """The map at `file`; MapFileError with every problem found, each with its place."""
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
    """TOML's word for one of several is the singular: `[[event]]` is `events`."""
    named = {"event": "events", "command": "commands"}
    return {named.get(key, key): value for key, value in tree.items()}


def _problems(error: ValidationError) -> list[str]:
    said: list[str] = []
    for one in error.errors(include_url=False):
        place = ".".join(str(part) for part in one["loc"])
        reason = one["msg"]
        if one["type"] == "extra_forbidden":
            reason = "is no known key" + nearest_word(str(one["loc"][-1]), _keys())
        elif one["type"] == "literal_error":
            reason += nearest_word(str(one["input"]), [*FIELDS, *get_args(ChecksumKind), *get_args(Family)])
        said.append(f"{place}: {reason}")
    return said


def _keys() -> list[str]:
    parts = (MapFile, Checksum, IdentifyRule, HeartbeatRule, EventRule, CommandRule, TestLine)
    return sorted({key for part in parts for key in part.model_fields} | {"event", "command"})

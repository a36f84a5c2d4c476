"""Loads a map file. A wrong one is refused with the place and the nearest known word."""

from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from pitwarden_drivers.api import Family
from pitwarden_drivers.mapping.checks import fields, patterns
from pitwarden_drivers.mapping.checksum import Kind as ChecksumKind
from pitwarden_drivers.mapping.meaning import FIELDS
from pitwarden_drivers.mapping.models import Checksum, Command, Event, Heartbeat, Identify, MapFile, Trial
from pitwarden_drivers.toml_page import PageRefused, near, read_page


class MapRefused(ValueError):  # noqa: N818  the field's word for it
    """A map file is wrong. Policy: refuse the table file. Example: a pattern without the group that its event needs."""


def load_map(file: Path) -> MapFile:
    """The map at `file`; MapRefused with every problem found, each with its place."""
    try:
        made = MapFile.model_validate(_renamed(read_page(file)))
    except PageRefused as error:
        raise MapRefused(str(error)) from None
    except ValidationError as error:
        raise MapRefused("\n".join(f"{file}: {one}" for one in _problems(error))) from None
    problems = [*patterns(made), *fields(made)]
    if problems:
        raise MapRefused("\n".join(f"{file}: {one}" for one in problems))
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
            reason = "is no known key" + near(str(one["loc"][-1]), _keys())
        elif one["type"] == "literal_error":
            reason += near(str(one["input"]), [*FIELDS, *get_args(ChecksumKind), *get_args(Family)])
        said.append(f"{place}: {reason}")
    return said


def _keys() -> list[str]:
    parts = (MapFile, Checksum, Identify, Heartbeat, Event, Command, Trial)
    return sorted({key for part in parts for key in part.model_fields} | {"event", "command"})

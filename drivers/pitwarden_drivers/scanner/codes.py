"""A codes file: which bar codes are which cards. Refused with the place, the reason and the nearest known key."""

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Final

import re2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwarden.events.faces import face_of

MAX_FILE: Final = 65_536
_QUIET: Final = re2.Options()
_QUIET.log_errors = False
Pattern = Annotated[str, Field(min_length=1, max_length=500)]
Code = Annotated[str, Field(min_length=1, max_length=256)]
Symbology = Annotated[str, Field(pattern=r"^\][A-Za-z][0-9A-Za-z]$")]


class Part(BaseModel):
    """What every table of a codes file is: nothing unknown, nothing guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Trial(Part):
    """One code of the test block and what it must give: `shoe.card`, `unread`, `shoe.cut` or `unknown`."""

    code: Code
    symbology: str = ""
    gives: str


class Codes(Part):
    """A set of codes. `symbologies`: the AIM identifiers that cards may bear, empty for any.

    `card` has the group `card`: a card's name as `10D`, or a word of `[cards]`. `least_accuracy` in the scanner's own
    units: below it a card is drawn and not read.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
    symbologies: tuple[Symbology, ...] = ()
    card: Pattern
    cards: dict[str, str] = {}
    cut: Pattern | None = None
    unread: Pattern | None = None
    least_accuracy: Annotated[int, Field(ge=1, le=65_535)] | None = None
    test: Annotated[tuple[Trial, ...], Field(min_length=1)]


class CodesRefused(ValueError):  # noqa: N818  as MapRefused
    """A codes file is wrong. Policy: refuse the table file. Example: a pattern without the group `card`."""


def load_codes(file: Path) -> Codes:
    """The codes at `file`; CodesRefused with every problem found, each with its place."""
    try:
        data = file.read_bytes()
        if len(data) > MAX_FILE:
            raise CodesRefused(f"{file}: it is longer than {MAX_FILE} bytes: a codes file is a page or two")
        tree = tomllib.loads(data.decode())
        made = Codes.model_validate({key: tuple(v) if isinstance(v, list) else v for key, v in tree.items()})
    except OSError as error:
        raise CodesRefused(f"{file}: it cannot be read, {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CodesRefused(f"{file}: it is no TOML in UTF-8, {error}") from None
    except ValidationError as error:
        raise CodesRefused("\n".join(f"{file}: {one}" for one in _problems(error))) from None
    problems = [*_patterns(made), *_faces(made)]
    if problems:
        raise CodesRefused("\n".join(f"{file}: {one}" for one in problems))
    return made


def _problems(error: ValidationError) -> list[str]:
    said: list[str] = []
    for one in error.errors(include_url=False):
        place, reason = ".".join(str(part) for part in one["loc"]), one["msg"]
        if one["type"] == "extra_forbidden":
            near = difflib.get_close_matches(str(one["loc"][-1]), [*Codes.model_fields, *Trial.model_fields], 1)
            reason = "is no known key" + (f" (did you mean {near[0]}?)" if near else "")
        said.append(f"{place}: {reason}")
    return said


def _patterns(made: Codes) -> list[str]:
    said: list[str] = []
    for place, pattern in (("card", made.card), ("cut", made.cut), ("unread", made.unread)):
        try:
            groups = () if pattern is None else re2.compile(pattern, _QUIET).groupindex
        except re2.error as error:
            words = error.args[0] if error.args else b""
            reason = words.decode(errors="replace") if isinstance(words, bytes) else str(words)
            said.append(f"{place}: {reason}: patterns are RE2's (no look-around, no back-references)")
            continue
        if place == "card" and "card" not in groups:
            said.append("card: the group (?P<card>...) is missing")
    return said


def _faces(made: Codes) -> list[str]:
    said: list[str] = []
    for word, name in made.cards.items():
        try:
            face_of(name)
        except ValueError:
            said.append(f"cards.{word}: {name!r} is no card: write it as 10D, QS or JKR")
    return said

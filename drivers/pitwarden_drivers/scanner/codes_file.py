"""Codes files, which assign cards to bar codes.

A wrong one is rejected with place, reason and the nearest known key.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.spelling import nearest_hint
from pitwarden_drivers.user_files import PatternError, UserFileError, named_groups, read_user_file

Pattern = Annotated[str, Field(min_length=1, max_length=500)]
Code = Annotated[str, Field(min_length=1, max_length=256)]
Symbology = Annotated[str, Field(pattern=r"^\][A-Za-z][0-9A-Za-z]$")]


class CodesSection(BaseModel):
    """Table of a codes file: unknown keys are errors, types are not coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TestCode(CodesSection):
    """Code of the test block and its expected reading: `shoe.card`, `unread`, `shoe.cut` or `unknown`."""

    code: Code
    symbology: str = ""
    gives: str


class CodesFile(CodesSection):
    """Set of codes. `symbologies`: AIM identifiers that cards may have, empty for any.

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
    test: Annotated[tuple[TestCode, ...], Field(min_length=1)]


class CodesFileError(ValueError):
    """The codes file is wrong. Policy: refuse the table file. Example: a pattern without the group `card`."""


def load_codes(file: Path) -> CodesFile:
    """Return the codes at `file`.

    Raises:
        CodesFileError: The file is wrong; the message has every problem with its place.
    """
    try:
        made = CodesFile.model_validate(read_user_file(file))
    except UserFileError as error:
        raise CodesFileError(str(error)) from None
    except ValidationError as error:
        raise CodesFileError("\n".join(f"{file}: {one}" for one in _problems(error))) from None
    problems = [*_patterns(made), *_faces(made)]
    if problems:
        raise CodesFileError("\n".join(f"{file}: {one}" for one in problems))
    return made


def _problems(error: ValidationError) -> list[str]:
    problems: list[str] = []
    for one in error.errors(include_url=False):
        place, reason = ".".join(str(part) for part in one["loc"]), one["msg"]
        if one["type"] == "extra_forbidden":
            reason = "is no known key" + nearest_hint(
                str(one["loc"][-1]), [*CodesFile.model_fields, *TestCode.model_fields]
            )
        problems.append(f"{place}: {reason}")
    return problems


def _patterns(made: CodesFile) -> list[str]:
    problems: list[str] = []
    for place, pattern in (("card", made.card), ("cut", made.cut), ("unread", made.unread)):
        try:
            groups = {} if pattern is None else named_groups(pattern)
        except PatternError as error:
            problems.append(f"{place}: {error}")
            continue
        if place == "card" and "card" not in groups:
            problems.append("card: the group (?P<card>...) is missing")
    return problems


def _faces(made: CodesFile) -> list[str]:
    problems: list[str] = []
    for word, name in made.cards.items():
        try:
            parse_face(name)
        except ValueError:
            problems.append(f"cards.{word}: {name!r} is no card: write it as 10D, QS or JKR")
    return problems

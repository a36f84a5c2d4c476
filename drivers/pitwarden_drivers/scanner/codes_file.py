"""A codes file: which bar codes are which cards. Refused with the place, the reason and the nearest known key."""

from pathlib import Path
from typing import Annotated

from pitwarden_client.events.card_faces import parse_face
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwarden_drivers.user_files import PageRefused, PatternRefused, groups_of, near, read_page

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
        made = Codes.model_validate(read_page(file))
    except PageRefused as error:
        raise CodesRefused(str(error)) from None
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
            reason = "is no known key" + near(str(one["loc"][-1]), [*Codes.model_fields, *Trial.model_fields])
        said.append(f"{place}: {reason}")
    return said


def _patterns(made: Codes) -> list[str]:
    said: list[str] = []
    for place, pattern in (("card", made.card), ("cut", made.cut), ("unread", made.unread)):
        try:
            groups = {} if pattern is None else groups_of(pattern)
        except PatternRefused as error:
            said.append(f"{place}: {error}")
            continue
        if place == "card" and "card" not in groups:
            said.append("card: the group (?P<card>...) is missing")
    return said


def _faces(made: Codes) -> list[str]:
    said: list[str] = []
    for word, name in made.cards.items():
        try:
            parse_face(name)
        except ValueError:
            said.append(f"cards.{word}: {name!r} is no card: write it as 10D, QS or JKR")
    return said

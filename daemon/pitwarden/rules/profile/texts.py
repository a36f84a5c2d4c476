"""Catalogued paragraphs of the regulations: a clause may rest on a text only where that text is in our sources.

`data/texts.toml` names every paragraph of the texts that the catalogue was read from. A profile row whose `basis` is
`text` cites these alone: a game that is known from excerpts or descriptions cannot claim more.
"""

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final

from pitwarden.rules.profile.toml_rows import TomlRow

TEXTS_FILE: Final = "texts.toml"
# A chapter has two numbers: 13:69F was 19:47, and 13:69E was 19:46. Of two paragraphs with one letter each has a place.
_CITE: Final = re.compile(r"(13:69F|19:47|13:69E|19:46)-(\S+)(?: (?:1st|2nd))?")
_FORMER: Final = {"19:47": "13:69F", "19:46": "13:69E"}


@dataclass(frozen=True, slots=True)
class LawText:
    """Text of a regulation as it was read."""

    file: str
    title: str
    edition: str
    """Which version of the text it is, in words."""
    read: date
    """Day on which the digests were last compared with the text."""
    since: date | None
    """Day from which it is in force; None where the text states none."""
    until: date | None
    """Day on which it expires; None where the text states none."""
    places: frozenset[str]
    """Places of its paragraphs, by the present number of the chapter."""

    @property
    def in_force(self) -> str:
        """When it is in force, in words."""
        until = f", expires on {self.until}" if self.until else ""
        return f"in force since {self.since}{until}" if self.since else "the text states no date"


@cache
def load_texts() -> dict[str, LawText]:
    """Return all texts by file.

    Raises:
        ProfileError: A line of the list is wrong.
    """
    return parse_texts((files("pitwarden.rules.profile") / "data" / TEXTS_FILE).read_text(encoding="utf-8"))


@cache
def catalogued_texts() -> dict[str, frozenset[str]]:
    """Return the places of all paragraphs by text file, each place by the chapter's present number."""
    return {file: one.places for file, one in load_texts().items()}


def parse_texts(text: str) -> dict[str, LawText]:
    """Return the texts that `text` lists, by file.

    Raises:
        ProfileError: A section has no number that a cite could have, or names a paragraph twice; a date is missing.
    """
    root, made = TomlRow(TEXTS_FILE, "", tomllib.loads(text)), dict[str, LawText]()
    for row in root.rows("texts"):
        sections = TomlRow(TEXTS_FILE, f"{row.place}sections.", row.table("sections"))
        places = [place for section in sections.data for place in _section(section, sections)]
        file = row.text("file")
        made[file] = LawText(
            file=file, title=row.text("title"), edition=row.text("edition"), read=row.day("read"),
            since=row.day("since") if "since" in row.data else None,
            until=row.day("until") if "until" in row.data else None,
            places=frozenset(places),
        )  # fmt: skip
        row.refuse_rest()
    root.refuse_rest()
    return made


def is_catalogued(cite: str) -> bool:
    """Return whether the text of `cite`, such as `13:69F-36.14(a)` or `19:47-26.15(a)`, is in our sources."""
    place = _place(cite)
    return any(place in places for places in catalogued_texts().values())


def _section(section: str, row: TomlRow) -> list[str]:
    """Return the section's own place and those of its paragraphs."""
    place, paragraphs = _place(section), row.words(section)
    if not place:
        raise row.wrong(section, "a section is named by chapter and number, as 13:69F-36.14")
    if len(set(paragraphs)) < len(paragraphs):
        raise row.wrong(section, "a paragraph is named twice")
    return [place, *(f"{place}{paragraph}" for paragraph in paragraphs)]


def _place(cite: str) -> str:
    """Return `cite` by the chapter's present number, empty for words that cite no paragraph."""
    found = _CITE.fullmatch(cite)
    return "" if found is None else f"{_FORMER.get(found[1], found[1])}-{found[2]}"

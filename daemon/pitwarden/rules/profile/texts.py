"""Catalogued paragraphs of the regulations: a clause may rest on a text only where that text is in our sources.

`data/texts.toml` names every paragraph of the texts that the catalogue was read from. A profile row whose `basis` is
`text` cites these alone: a game that is known from excerpts or descriptions cannot claim more.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

from pitwarden.rules.profile.toml_rows import TomlRow

TEXTS_FILE: Final = "texts.toml"
# A chapter has two numbers: 13:69F was 19:47, and 13:69E was 19:46. Of two paragraphs with one letter each has a place.
_CITE: Final = re.compile(r"(13:69F|19:47|13:69E|19:46)-(\S+)(?: (?:1st|2nd))?")
_FORMER: Final = {"19:47": "13:69F", "19:46": "13:69E"}


@cache
def catalogued_texts() -> dict[str, frozenset[str]]:
    """Return the places of all paragraphs by text file, each place by the chapter's present number."""
    return parse_texts((files("pitwarden.rules.profile") / "data" / TEXTS_FILE).read_text(encoding="utf-8"))


def parse_texts(text: str) -> dict[str, frozenset[str]]:
    """Return the places in `text`, by text file.

    Raises:
        ProfileError: A section has no number that a cite could have, or names a paragraph twice.
    """
    root, made = TomlRow(TEXTS_FILE, "", tomllib.loads(text)), dict[str, frozenset[str]]()
    for row in root.rows("texts"):
        sections = TomlRow(TEXTS_FILE, f"{row.place}sections.", row.table("sections"))
        places = [place for section in sections.data for place in _section(section, sections)]
        made[row.text("file")] = frozenset(places)
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

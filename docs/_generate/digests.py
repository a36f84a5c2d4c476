"""Digests of the regulation's paragraphs: a reader who has the texts can check what the catalogue was read from.

The texts themselves must not be reprinted. The catalogue names each paragraph with the SHA-256 of its words: lines
joined, Markdown's marks removed, white space collapsed to one space. A paragraph includes its subparagraphs.

Usage: PYTHONPATH=docs python -m _generate.digests FOLDER
FOLDER holds the text files that `docs/sources/regulations.md` lists. Prints each paragraph that differs.
"""

import hashlib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden.rules.profile.clauses import load_clauses
from pitwarden.rules.profile.texts import catalogued_texts

CATALOGUE: Final = Path(__file__).parents[1] / "sources" / "catalogue.md"

_SECTION: Final = re.compile(
    r"(?:13:69|19:4)([EF67])-(\d+[A-Z]*)[. ]*(?:\[8\])?(\d+[A-Z]*)\.?\s+(?:-\s+\d|(?:-\s+)?[A-Z])"
)
_LEVELS: Final = (
    re.compile(r"\(([a-z£1]{1,2})\)\s"),
    re.compile(r"(\d+)\.\s"),
    re.compile(r"([ivx]+)\.\s"),
)
# The scans have a pound sign for (f) and, behind (k), a one for (l).
_SCANNED: Final = {"£": "f", "1": "l"}
_MARKS: Final = re.compile(r"^\**SUBCHAPTER \d+\.\D+(?=19:47-)|</?u>|\*\*|^[-#\s]+")
_LINE: Final = re.compile(r"SHA-256 of `([^`]+)` in `([^`]+)`: `([0-9a-f]{64})`")
_CHAPTERS: Final = {"E": "E", "6": "E", "F": "F", "7": "F"}


@dataclass(frozen=True, slots=True)
class Digest:
    """A paragraph that the catalogue names.

    Attributes:
        place: The paragraph, such as `F-36.14(a)`: E for tables and equipment, F for the games.
        file: The text file.
        sha256: SHA-256 of its words, hexadecimal.
    """

    place: str
    file: str
    sha256: str


def paragraphs(text: str) -> Mapping[str, str]:
    """Return the words of every paragraph of a text, by its place; of two with the same place the first."""
    found: dict[str, list[str]] = {}
    section, path = "", [""] * len(_LEVELS)
    for raw in text.splitlines():
        line = _MARKS.sub("", raw.strip()).strip()
        header = _SECTION.match(line)
        if header:
            section = f"{_CHAPTERS[header[1]]}-{header[2]}.{header[3]}"
            path = [""] * len(_LEVELS)
            continue
        if not line or not section:
            continue
        for level, pattern in enumerate(_LEVELS):
            marker = pattern.match(line)
            if marker and not (level == 0 and marker[1] == "1" and path[0] != "k"):  # (1) below a number is no letter
                path[level:] = [
                    _SCANNED.get(marker[1], marker[1]) if level == 0 else marker[1],
                    *[""] * (len(_LEVELS) - level - 1),
                ]
                break
        for place in _places(section, path):
            found.setdefault(place, []).append(line)
    return {place: " ".join(" ".join(lines).split()) for place, lines in found.items()}


def digest(words: str) -> str:
    """Return the SHA-256 of a paragraph's words."""
    return hashlib.sha256(words.encode()).hexdigest()


def listed() -> Iterator[Digest]:
    """Yield every digest that the catalogue names."""
    for place, file, sha256 in _LINE.findall(CATALOGUE.read_text(encoding="utf-8")):
        yield Digest(place, file, sha256)


def differences(folder: Path) -> Iterator[str]:
    """Yield a sentence for each paragraph of the texts in `folder` that is missing or has other words."""
    known: dict[str, Mapping[str, str]] = {}

    def words_of(file: str) -> Mapping[str, str]:
        if file not in known:
            known[file] = paragraphs((folder / file).read_text(encoding="utf-8"))
        return known[file]

    for one in listed():
        words = words_of(one.file).get(one.place)
        if words is None:
            yield f"{one.file}: {one.place} is missing"
        elif digest(words) != one.sha256:
            yield f"{one.file}: {one.place} has other words"
    for clause in load_clauses():
        for law in clause.law:
            if digest(words_of(law.file).get(law.place, "")) != law.sha256:
                yield f"{law.file}: {clause.ident} was read from other words of {law.place}"
    for file, places in catalogued_texts().items():
        absent = sorted(place for place in places if place.removeprefix("13:69") not in words_of(file))
        yield from (f"{file}: {place} is missing, and texts.toml names it" for place in absent)


def _places(section: str, path: list[str]) -> Iterator[str]:
    """Yield the place of a line and of everything that contains it."""
    yield section
    letter, number, roman = path
    place = section
    if letter:
        place = f"{place}({letter})"
        yield place
    if number:
        place = f"{place}{number}"
        yield place
    if roman:
        yield f"{place}.{roman}"


if __name__ == "__main__":
    if len(sys.argv) != 2:  # noqa: PLR2004  the one argument
        sys.exit("usage: python -m _generate.digests FOLDER")
    differing = list(differences(Path(sys.argv[1])))
    print("\n".join(differing) or "every paragraph of the catalogue and of the clauses has the words it was read from")  # noqa: T201  the command's answer
    sys.exit(1 if differing else 0)

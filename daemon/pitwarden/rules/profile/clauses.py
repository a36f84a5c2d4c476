"""Clause catalogue and readings of doubtful sentences.

The catalogue's clauses as data: `clauses.toml` read strictly.

How doubtful sentences are read, and where: `readings.toml` read strictly.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from pitwarden.rules.profile.texts import catalogued_texts
from pitwarden.rules.profile.toml_rows import TomlRow

CLAUSES_FILE: Final = "clauses.toml"
COMMON: Final = "G"
_LAW: Final = re.compile(r"(\S+) (\S+) ([0-9a-f]{64})")
_BY_KIND: Final = {
    "H": "No device senses it and no key tells it: the house attests it.",
}


@dataclass(frozen=True, slots=True)
class LawDigest:
    """Digest of a paragraph that a clause was read from."""

    file: str
    """Text file, as the list of texts names it."""
    place: str
    """Place of the paragraph, such as `F-36.14(a)`."""
    sha256: str
    """SHA-256 of its words in UTF-8, white space collapsed: hexadecimal."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One entry of the catalogue. `attested`: the text asks for it before play; `device`: what it needs at the table.

    `rows` decide it beside those that bear its number; `reason` says why none does; `games`: those whose text has it,
    none for all; `switches`: those of the house that bring it into play, none for always. `law`: what it was read from;
    `unread`: why there is none of that.
    """

    ident: str
    kind: str
    cite: str
    about: str
    attested: bool = False
    device: str = ""
    rows: tuple[str, ...] = ()
    reason: str = ""
    games: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    law: tuple[LawDigest, ...] = ()
    unread: str = ""

    @property
    def game(self) -> str:
        """The game that it belongs to; `G` for all."""
        return self.ident.partition("-")[0]

    @property
    def why_unchecked(self) -> str:
        """The stated reason for having no check, empty when none is stated."""
        return self.reason or next((why for kind, why in _BY_KIND.items() if kind in self.kind.split("/")), "")


@cache
def load_clauses() -> tuple[Clause, ...]:
    """Return every clause, in the order of the file; ProfileError names a wrong line."""
    text = (files("pitwarden.rules.profile") / "data" / CLAUSES_FILE).read_text(encoding="utf-8")
    return parse_clauses(CLAUSES_FILE, text)


def parse_clauses(file: str, text: str) -> tuple[Clause, ...]:
    """Return the clauses in `text`; ProfileError names the line that is not what it should be."""
    whole = TomlRow(file, "", {"clauses": tomllib.loads(text)})
    made = parse_clause_rows(whole)
    for one in made:
        if bool(one.law) == bool(one.unread):
            raise whole.wrong(f"clauses.{one.ident}.law", "name what was read, or in 'unread' why there is nothing")
    return made


def parse_clause_rows(whole: TomlRow) -> tuple[Clause, ...]:
    """Return the clauses in the table `clauses` of `whole`; none without such a table."""
    return tuple(_clause(ident, row) for ident, row in whole.tables("clauses").items())


def clauses_of_game(game: str) -> Iterator[Clause]:
    """Return the clauses of `game` and those of all games."""
    return (clause for clause in load_clauses() if clause.game in {game, COMMON})


def _clause(ident: str, row: TomlRow) -> Clause:
    made = Clause(
        ident=ident,
        kind=row.text("kind"),
        cite=row.text("cite"),
        about=row.text("about"),
        attested=row.flag("attested") if "attested" in row.data else False,
        device=row.text("device") if "device" in row.data else "",
        rows=row.words("rows") if "rows" in row.data else (),
        reason=row.text("reason") if "reason" in row.data else "",
        games=row.words("games") if "games" in row.data else (),
        switches=row.words("switches") if "switches" in row.data else (),
        law=tuple(_law(row, line) for line in row.words("law")) if "law" in row.data else (),
        unread=row.text("unread") if "unread" in row.data else "",
    )
    row.refuse_rest()
    return made


def _law(row: TomlRow, line: str) -> LawDigest:
    found = _LAW.fullmatch(line)
    if found is None:
        raise row.wrong("law", f"{line!r}: name the text, the place and 64 hexadecimal digits")
    made = LawDigest(*found.groups())
    if f"13:69{made.place}" not in catalogued_texts().get(made.file, ()):
        raise row.wrong("law", f"{made.file} has no paragraph {made.place} in the list of texts")
    return made


READINGS_FILE: Final = "readings.toml"


@dataclass(frozen=True, slots=True)
class TextReading:
    """One doubt (`C-01` and on): what the text says, how it is read, and what reads it so.

    `switches`: keys of the table file; `rows`: profile rows, as `CB.face_up`; `code`: a file of the rules core;
    `reason`: why nothing has to read it.
    """

    ident: str
    text: str
    reading: str
    switches: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    code: str = ""
    reason: str = ""

    @property
    def lives(self) -> str:
        """Where the reading is carried out, in words."""
        switches = tuple(f"[{key.partition('.')[0]}] {key.partition('.')[2]}" for key in self.switches)
        rows = tuple(f"row {row}" for row in self.rows)
        return "; ".join((*switches, *rows, *(word for word in (self.code, self.reason) if word)))


@cache
def load_readings() -> tuple[TextReading, ...]:
    """Return every reading, in order; ProfileError names a wrong line."""
    return parse_readings(
        READINGS_FILE, (files("pitwarden.rules.profile") / "data" / READINGS_FILE).read_text(encoding="utf-8")
    )


def parse_readings(file: str, text: str) -> tuple[TextReading, ...]:
    """Return the readings in `text`; ProfileError names the line that is not what it should be."""
    whole = TomlRow(file, "", {"readings": tomllib.loads(text)})
    return tuple(_reading(ident, row) for ident, row in whole.tables("readings").items())


def _reading(ident: str, row: TomlRow) -> TextReading:
    made = TextReading(
        ident=ident,
        text=row.text("text"),
        reading=row.text("reading"),
        switches=row.words("switches") if "switches" in row.data else (),
        rows=row.words("rows") if "rows" in row.data else (),
        code=row.text("code") if "code" in row.data else "",
        reason=row.text("reason") if "reason" in row.data else "",
    )
    row.refuse_rest()
    if not made.lives:
        raise row.wrong("reason", "nothing says where this reading is carried out")
    return made

"""The catalogue's clauses as data: `clauses.toml` read strictly."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from pitwarden.rules.rows import Row

FILE: Final = "clauses.toml"
COMMON: Final = "G"
_BY_KIND: Final = {
    "H": "No device senses it and no key tells it: the house attests it.",
}


@dataclass(frozen=True, slots=True)
class Clause:
    """One entry of the catalogue. `attested`: the text asks for it before play; `device`: what it needs at the table.

    `rows` decide it beside those that bear its number; `reason` says why none does; `games`: those whose text has it,
    none for all; `switches`: those of the house that bring it into play, none for always.
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

    @property
    def game(self) -> str:
        """The game that it belongs to; `G` for all."""
        return self.ident.partition("-")[0]

    @property
    def why_unchecked(self) -> str:
        """The stated reason for having no check, empty when none is stated."""
        return self.reason or next((why for kind, why in _BY_KIND.items() if kind in self.kind.split("/")), "")


@cache
def clauses() -> tuple[Clause, ...]:
    """Every clause, in the order of the file; ProfileError names a wrong line."""
    text = (files("pitwarden.rules") / FILE).read_text(encoding="utf-8")
    return parse_clauses(FILE, text)


def parse_clauses(file: str, text: str) -> tuple[Clause, ...]:
    """The clauses in `text`; ProfileError names the line that is not what it should be."""
    whole = Row(file, "", {"clauses": tomllib.loads(text)})
    return tuple(_clause(ident, row) for ident, row in whole.tables("clauses").items())


def of_game(game: str) -> Iterator[Clause]:
    """The clauses of `game` and those of all games."""
    return (clause for clause in clauses() if clause.game in {game, COMMON})


def _clause(ident: str, row: Row) -> Clause:
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
    )
    row.refuse_rest()
    return made

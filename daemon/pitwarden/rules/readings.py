"""How doubtful sentences are read, and where: `readings.toml` read strictly."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from pitwarden.rules.rows import Row

FILE: Final = "readings.toml"


@dataclass(frozen=True, slots=True)
class Reading:
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
def readings() -> tuple[Reading, ...]:
    """Every reading, in order; ProfileError names a wrong line."""
    return parse_readings(FILE, (files("pitwarden.rules") / FILE).read_text(encoding="utf-8"))


def parse_readings(file: str, text: str) -> tuple[Reading, ...]:
    """The readings in `text`; ProfileError names the line that is not what it should be."""
    whole = Row(file, "", {"readings": tomllib.loads(text)})
    return tuple(_reading(ident, row) for ident, row in whole.tables("readings").items())


def _reading(ident: str, row: Row) -> Reading:
    made = Reading(
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

"""Export of a night's two journals as text, for tests of later versions, and import as files.

Usage, in a checkout of the version that is to be kept: text_export.py FOLDER
"""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.simulated_service.night import SimulatedNightPlan, play_in

HALVES = ("field", "judge")
_HEAD = """\
-- The {half} half's journal of a simulated night, written by pitwarden {version}: triple attack blackjack with
-- a stray 10, played by tests/support/testkit/journals/text_export.py. No card of it was ever on a table;
-- its keys are in the tests.
"""


def written(path: Path) -> Iterator[str]:
    """Yield the journal at `path` as statements; text in its blobs stays readable."""
    with closing(sqlite3.connect(path)) as sql:
        for pragma in ("application_id", "user_version"):
            yield f"PRAGMA {pragma}={sql.execute(f'PRAGMA {pragma}').fetchone()[0]};"
        for (statement,) in sql.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"):
            yield f"{statement};"
        for (name,) in sql.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid"):
            for row in sql.execute(f'SELECT * FROM "{name}"'):  # noqa: S608  the name is the schema's own
                yield f'INSERT INTO "{name}" VALUES ({", ".join(map(_literal, row))});'  # noqa: S608  as above


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        text = value.decode(errors="replace")
        return (
            f"CAST({_literal(text)} AS BLOB)" if text.encode() == value and text.isprintable() else f"X'{value.hex()}'"
        )
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def restored(capture: Path, folder: Path) -> None:
    """Write both journals of `capture` as files in `folder`."""
    for half in HALVES:
        with closing(sqlite3.connect(folder / f"{half}.sqlite")) as sql:
            sql.executescript((capture / f"{half}.sql").read_text(encoding="utf-8"))
            sql.commit()


def main(folder: Path) -> None:
    """Play the night and write its journals to `folder`."""
    fault = next(each for each in load_faults() if each.name == "stray_ten" and each.table == TAB_SHIELDED.table)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as played:
        play_in(Path(played), SimulatedNightPlan(TAB_SHIELDED, "1", 1, (fault,)))
        for half in HALVES:
            head = _HEAD.format(half=half, version=version("pitwarden"))
            text = "\n".join(written(Path(played) / f"{half}.sqlite"))
            (folder / f"{half}.sql").write_text(f"{head}{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

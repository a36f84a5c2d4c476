"""A journal too large to be checked at the start, with a fault in it that only the look finds, in the real service."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.journal.damage import SEEN
from pitwarden.journal.database import WHOLE_PAGES
from pitwarden.journal.sqlite_pages import PAGE
from testkit.clocks.waiting import until
from testkit.processes import faulty_service
from testkit.processes.service_manager import managed, stop_twice
from testkit.tables.table_file import small_table

SABOTEUR = str(Path(faulty_service.__file__))
LEAF_INDEX_PAGE = 0x0A  # SQLite's file format, section 1.6
pytestmark = pytest.mark.slow


def enlarge(path: Path) -> None:
    """Grows the file by free pages beyond what a start checks whole."""
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        sql.execute("PRAGMA journal_mode=DELETE")
        sql.execute("PRAGMA synchronous=OFF")
        sql.execute("CREATE TABLE filling AS SELECT zeroblob(?) AS x", (WHOLE_PAGES * PAGE,))
        sql.execute("DROP TABLE filling")


def spoil(path: Path) -> None:
    """Empty the index of the rows."""
    with closing(sqlite3.connect(path)) as sql:
        page = sql.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_row_1'").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        assert file.read(1)[0] == LEAF_INDEX_PAGE
        file.seek((page - 1) * PAGE + 3)
        file.write(b"\0\0")


async def test_the_table_starts_with_it_the_look_finds_the_fault_and_after_a_kill_it_is_set_aside(
    tmp_path: Path,
) -> None:
    file, path = small_table(tmp_path), tmp_path / "journals" / "field.sqlite"
    assert main(["keys", str(file)]) == 0
    run = ["-m", "pitwarden.cli", "run", "--only", "field", "--config", str(file)]
    async with managed(tmp_path, run, name="first") as manager:
        await manager.until(lambda said: "READY" in said)
        assert await stop_twice(manager) == os.EX_OK
    enlarge(path)
    spoil(path)
    async with managed(tmp_path, [SABOTEUR, "look", "", "--", *run[2:]], name="second") as manager:
        await manager.until(lambda said: "READY" in said)
        assert not list(path.parent.glob("*.damaged-*"))
        await until(path.with_name(path.name + SEEN).exists, pause=0.02)
        assert manager.process is not None
        manager.process.kill()
    async with managed(tmp_path, run, name="third") as manager:
        await manager.until(lambda said: "READY" in said)
        kept = path.with_name(f"{path.name}.damaged-1")
        assert kept.stat().st_size > WHOLE_PAGES * PAGE
        await until((kept.with_name(f"{kept.name}.salvage") / path.name).exists, pause=0.02)
        assert await stop_twice(manager) == os.EX_OK

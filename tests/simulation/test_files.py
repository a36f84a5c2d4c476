"""Files under SQLite fail as a fault says, and a power cut leaves a file that SQLite recovers."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwarden_tools.simulation.files import (
    FULL,
    OK,
    SHORT_WRITE,
    SYNC_FAILED,
    WRITE_FAILED,
    FileFaults,
    SimulatedFiles,
)


@pytest.fixture
def files() -> Iterator[SimulatedFiles]:
    made = SimulatedFiles()
    made.install()
    yield made
    made.remove()


def opened(path: Path, mode: str = "FULL") -> sqlite3.Connection:
    sql = sqlite3.connect(path, isolation_level=None)
    sql.execute("PRAGMA journal_mode=WAL")
    sql.execute(f"PRAGMA synchronous={mode}")
    sql.execute("CREATE TABLE IF NOT EXISTS t (x)")
    return sql


def insert(sql: sqlite3.Connection, number: int) -> None:
    sql.execute("INSERT INTO t VALUES (?)", (number,))


def stored(path: Path) -> list[int]:
    sql = sqlite3.connect(path)
    found = [x for (x,) in sql.execute("SELECT x FROM t ORDER BY x")]
    assert sql.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    sql.close()
    return found


@pytest.mark.parametrize(
    ("on_write", "on_sync", "code"),
    [
        (FULL, OK, sqlite3.SQLITE_FULL),
        (SHORT_WRITE, OK, sqlite3.SQLITE_FULL),
        (WRITE_FAILED, OK, sqlite3.SQLITE_IOERR_WRITE),
        (sqlite3.SQLITE_READONLY, OK, sqlite3.SQLITE_READONLY),
        (OK, SYNC_FAILED, sqlite3.SQLITE_IOERR_FSYNC),
    ],
)
def test_a_commit_fails_with_the_error_of_its_file(
    files: SimulatedFiles, tmp_path: Path, on_write: int, on_sync: int, code: int
) -> None:
    faults = files.watch(tmp_path / "a")
    sql, other = opened(tmp_path / "a.sqlite"), opened(tmp_path / "b.sqlite")
    insert(sql, 1)
    faults.on_write, faults.on_sync = lambda _name: on_write, lambda _name: on_sync
    with pytest.raises(sqlite3.OperationalError) as failed:
        insert(sql, 2)
    assert failed.value.sqlite_errorcode == code
    insert(other, 3)
    faults.on_write = faults.on_sync = lambda _name: OK
    insert(sql, 4)
    sql.close()
    other.close()
    assert (stored(tmp_path / "a.sqlite"), stored(tmp_path / "b.sqlite")) == ([1, 4], [3])


def after_a_power_cut(faults: FileFaults, path: Path) -> list[int]:
    """Return what a copy of the files holds once every write without a sync is taken back."""
    copy = path.with_name("copy.sqlite")
    content = {name: Path(f"{path}{name}").read_bytes() for name in ("", "-wal")}
    for name, at, before, size in reversed(faults.unsynced):
        end = name.removeprefix(str(path))
        content[end] = (content[end][:at] + before + content[end][at + len(before) :])[:size]
    for end, data in content.items():
        Path(f"{copy}{end}").write_bytes(data)
    return stored(copy)


@pytest.mark.parametrize(("mode", "left"), [("FULL", [1, 2, 3]), ("OFF", [])])
def test_a_power_cut_takes_what_was_not_synced(
    files: SimulatedFiles, tmp_path: Path, mode: str, left: list[int]
) -> None:
    path = tmp_path / "a.sqlite"
    opened(path).close()
    faults = files.watch(path)
    sql = opened(path, mode)
    for number in (1, 2, 3):
        insert(sql, number)
    assert after_a_power_cut(faults, path) == left
    sql.close()


def test_files_are_left_alone_once_they_are_forgotten(files: SimulatedFiles, tmp_path: Path) -> None:
    faults = files.watch(tmp_path / "a")
    sql = opened(tmp_path / "a.sqlite")
    assert faults.writes > 0
    assert faults.syncs > 0
    files.forget(faults)
    faults.on_write = lambda _name: FULL
    insert(sql, 1)
    sql.close()
    assert stored(tmp_path / "a.sqlite") == [1]

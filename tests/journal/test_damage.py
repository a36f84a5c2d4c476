import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from pitwarden.journal import database
from pitwarden.journal.database import Database
from pitwarden.journal.errors import JournalDamagedError, JournalUnwritableError, JournalVersionError
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.field_store import FieldStore
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.maintenance import IntegrityInspector
from pitwarden.journal.records import ReceivedRow
from pitwarden_client.events.codec import digest
from pitwarden_client.events.table import Head
from testkit.journals.damage_reports import Damages
from testkit.journals.log_rows import log_of

LEAF_INDEX_PAGE = 0x0A  # SQLite's file format, section 1.6


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def junk(path: Path) -> None:
    path.write_bytes(b"not a journal at all, whatever its name says" * 200)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4_096])


def scribbled(path: Path) -> None:
    _edit(path, "UPDATE row SET topic = 'other'")
    whole = bytearray(path.read_bytes())
    for place in range(len(whole) // 4_096):
        page = whole[place * 4_096 : place * 4_096 + 4_096]
        if place and page[0] == LEAF_INDEX_PAGE:
            whole[place * 4_096 + 3 : place * 4_096 + 5] = b"\0\0"  # the index has lost all that it pointed to
    path.write_bytes(whole)


def changed_body(path: Path) -> None:
    _edit(path, "UPDATE row SET body = CAST('x' AS BLOB) WHERE place = 2")


def changed_row(path: Path) -> None:
    body = b"another row, with its own hash"
    _edit(path, "UPDATE row SET body = ?, hash = ? WHERE place = 2", body, digest(body))


def lost_row(path: Path) -> None:
    _edit(path, "DELETE FROM row WHERE place = 2")


def another_kind(path: Path) -> None:
    path.unlink()
    _edit(path, "CREATE TABLE t (x)")


def _edit(path: Path, statement: str, *values: str | bytes) -> None:
    sql = sqlite3.connect(path)
    sql.execute(statement, values)
    sql.commit()
    sql.close()


AT_THE_ENDS = [zeroed, emptied, junk, cut, changed_body, changed_row, lost_row, another_kind]


@pytest.mark.parametrize(
    ("harm", "large"), [(scribbled, False), *((h, large) for h in AT_THE_ENDS for large in (0, 1))]
)
async def test_a_damaged_log_is_set_aside_and_a_fresh_one_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], None], *, large: bool
) -> None:
    """Damage to the file's head or the last rows is found in a journal too large to be checked whole, too."""
    if large:
        monkeypatch.setattr(database, "WHOLE_PAGES", 0)
    path, rows = tmp_path / "log", log_of(4)
    for which in (1, 2):
        journal = await FieldJournal.open(path)
        await journal.commit(rows)
        await journal.close()
        harm(path)
        evidence = path.read_bytes()
        journal = await FieldJournal.open(path)
        assert journal.damage is not None
        assert journal.damage.kept_as == tmp_path / f"log.damaged-{which}"
        assert journal.damage.kept_as.read_bytes() == evidence
        assert str(path) in journal.damage.reason
        assert (journal.head, journal.place) == (None, 0)
        await journal.close()


async def test_a_torn_write_costs_the_torn_transaction_only(tmp_path: Path) -> None:
    rows = log_of(4)
    store = FieldStore(tmp_path / "log")
    for row in rows:
        store.append([row])
    torn = tmp_path / "torn"
    torn.write_bytes((tmp_path / "log").read_bytes())
    torn.with_name("torn-wal").write_bytes((tmp_path / "log-wal").read_bytes()[:-7])
    store.close()
    journal = await FieldJournal.open(torn)
    assert journal.damage is None
    assert [s.body for s in await journal.rows_after(0, 10)] == [r.body for r in rows[:3]]
    await journal.close()


async def test_a_damaged_record_of_a_judge_is_set_aside_too(tmp_path: Path) -> None:
    path, (row,) = tmp_path / "judge", log_of(1)
    journal = await JudgeJournal.open(path)
    await journal.store("t1", [ReceivedRow(row.at, row.hash, row.body)], [], Head(at=row.at, hash=row.hash))
    await journal.close()
    _edit(path, "UPDATE received SET body = CAST('y' AS BLOB)")
    journal = await JudgeJournal.open(path)
    assert journal.damage is not None
    assert await journal.position("t1") is None
    await journal.close()


def test_a_log_of_another_version_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "log"
    FieldStore(path).close()
    _edit(path, "PRAGMA user_version=7")
    before = path.read_bytes()
    with pytest.raises(JournalVersionError, match="layout 7, and this pitwarden knows 1"):
        FieldStore(path)
    assert path.read_bytes() == before


def test_a_judge_s_record_is_no_log(tmp_path: Path) -> None:
    Database(tmp_path / "x", "CREATE TABLE t (x);", "", 5).close()
    with pytest.raises(JournalDamagedError, match="no journal of this kind"):
        FieldStore(tmp_path / "x")


def test_a_mistake_of_ours_is_no_damage(tmp_path: Path) -> None:
    store = FieldStore(tmp_path / "log")
    with pytest.raises(sqlite3.OperationalError, match="no such table"), store.database.reading() as sql:
        sql.execute("SELECT * FROM nowhere")
    store.close()


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalUnwritableError, match=f"{tmp_path}/no/log.lock: No such file"):
        await FieldJournal.open(tmp_path / "no" / "log")


async def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    with pytest.raises(JournalUnwritableError, match="unable to open"):
        await JudgeJournal.open(tmp_path / "log")


async def test_damage_that_is_found_on_the_way_is_said_once(tmp_path: Path) -> None:
    path, damages = tmp_path / "log", Damages()
    journal = await FieldJournal.open(path)
    await journal.commit(log_of(4))
    await journal.close()  # it is inspected through a connection of its own
    inspector = IntegrityInspector(journal, damages)
    assert await inspector.sound()
    scribbled(path)
    for _ in range(3):
        assert not await inspector.sound()
    [reason] = damages.reasons
    assert str(path) in reason

"""A long journal: its start reads no more than a shorter one's, and damage to it still ends with it set aside.

The adversary is a medium that spoils pages which no start reads, and an orderly end between finding and mending.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from pitwarden.journal import database, field_store, judge_store
from pitwarden.journal.damage import SEEN
from pitwarden.journal.errors import JournalDamagedError
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.field_store import FieldStore
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.judge_store import JudgeStore
from pitwarden.journal.maintenance import IntegrityInspector
from pitwarden.journal.records import ReceivedRow, StoredOutput
from pitwarden.journal.sqlite_pages import PAGE
from pitwarden_client.events.codec import decode
from pitwarden_client.events.status import PartStatus
from pitwarden_client.events.table import Head
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_tools.simulation import halves
from pitwarden_tools.simulation.halves import field_half, judge_half
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.damage_reports import Damages
from testkit.journals.log_rows import log_of
from testkit.journals.sealed_rows import SIGNER, SITE
from testkit.journals.stored_night import FIELD, JUDGE, stored_night
from testkit.processes.io_counters import bytes_read

KEY = "silent/t1"
FEW, MANY = 2_000, 6_000
OLD = 700
"""A row that no start reads: more than a thousand are behind it in either journal."""
SLACK = 64 * 1_024
ROWS = log_of(MANY)
Opened = FieldJournal | JudgeJournal


def log(path: Path, count: int = FEW) -> Path:
    store = FieldStore(path)
    store.append(ROWS[:count])
    store.close()
    return path


def record(path: Path, count: int = FEW) -> Path:
    store = JudgeStore(path)
    rows = ROWS[:count]
    store.store(
        KEY,
        [ReceivedRow(row.at, row.hash, row.body) for row in rows],
        [StoredOutput(seq, row.at, 0, row.hash, "t", row.body) for seq, row in enumerate(rows, 1)],
        Head(at=rows[-1].at, hash=rows[-1].hash),
    )
    store.close()
    return path


Maker = Callable[[Path, int], Path]
Opener = Callable[[Path], Awaitable[Opened]]
KINDS: list[tuple[Maker, Opener]] = [(log, FieldJournal.open), (record, JudgeJournal.open)]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every journal is too large to be checked whole at its start."""
    monkeypatch.setattr(database, "WHOLE_PAGES", 0)


def spoil(path: Path, body: bytes, fill: bytes = b"\xff") -> bytes:
    """Overwrite the page that holds `body`; return the file as it is then."""
    whole = path.read_bytes()
    at = whole.index(body) // PAGE * PAGE
    path.write_bytes(whole[:at] + fill * PAGE + whole[at + PAGE :])
    return path.read_bytes()


async def start(path: Path, opened: Opener) -> int:
    """Open and close the journal; return how many bytes that read."""
    before = bytes_read()
    journal = await opened(path)
    assert journal.damage is None
    took = bytes_read() - before
    await journal.close()
    return took


@pytest.mark.parametrize(("made", "opened"), KINDS)
async def test_a_start_reads_no_more_of_a_journal_three_times_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Maker, opened: Opener
) -> None:
    short, long = made(tmp_path / "short", FEW), made(tmp_path / "long", MANY)
    more = long.stat().st_size - short.stat().st_size
    assert more > 10 * SLACK
    assert await start(long, opened) - await start(short, opened) > more - SLACK, "small ones are checked whole"
    monkeypatch.setattr(database, "WHOLE_PAGES", 16)
    assert abs(await start(long, opened) - await start(short, opened)) < SLACK


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(("made", "opened"), KINDS)
async def test_what_a_look_found_is_set_aside_at_the_next_start_though_it_was_closed_in_order(
    tmp_path: Path, made: Maker, opened: Opener
) -> None:
    path, damages = made(tmp_path / "journal", MANY), Damages()
    spoil(path, ROWS[MANY // 2].body)
    journal = await opened(path)
    inspector = IntegrityInspector(journal, damages)
    assert journal.damage is None
    assert not await inspector.sound()
    await journal.close()
    assert len(damages.reasons) == 1
    evidence = path.read_bytes()
    journal = await opened(path)
    assert journal.damage is not None
    assert journal.damage.reason == damages.reasons[0]
    assert journal.damage.kept_as.read_bytes() == evidence
    await journal.close()
    assert not path.with_name(path.name + SEEN).exists()
    await start(path, opened)


@pytest.mark.usefixtures("large")
async def test_both_halves_say_what_a_look_finds_in_a_journal_that_they_work_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for store in (field_store, judge_store):
        monkeypatch.setattr(store, "CHECKED_ROWS", 10)  # a night is short
    stored_night(tmp_path)
    for name, table in ((FIELD, "row"), (JUDGE, "received")):
        with closing(sqlite3.connect(tmp_path / name)) as sql:
            spoil(tmp_path / name, sql.execute(f"SELECT body FROM {table} WHERE place = 20").fetchone()[0])  # noqa: S608
    log, record = await FieldJournal.open(tmp_path / FIELD), await JudgeJournal.open(tmp_path / JUDGE)
    clock = FakeClock()
    with monkeypatch.context() as own:
        for name, value in (("SITE", SITE), ("SIGNER", SIGNER)):
            own.setattr(halves, name, value)  # the night's own: another table's log would be set aside
        field = (await field_half(TAB_SHIELDED, clock, log, {}))._pieces  # noqa: SLF001  the parts of a half
    judge = await judge_half(TAB_SHIELDED, record, clock)

    def faults() -> list[tuple[str, ...]]:
        """As the links say them."""
        return [field.statuses.online().faults, decode(PartStatus, judge._online()).faults]  # noqa: SLF001

    assert faults() == [(), ()]
    await field.retention.once()  # what comes each hour
    await judge._retention.once()  # noqa: SLF001
    assert all(any(fault.startswith("journal_damaged") for fault in each) for each in faults())
    assert "verify the decks" in judge._faults.distrust  # noqa: SLF001  what withholds the permit
    await log.close()
    await record.close()
    for name, (_, opened) in zip((FIELD, JUDGE), KINDS, strict=True):
        journal = await opened(tmp_path / name)
        assert journal.damage is not None
        await journal.close()


def a_page(path: Path) -> None:
    spoil(path, ROWS[OLD].body)


def a_digit(path: Path) -> None:
    """Make damage that SQLite's own check does not detect."""
    body = ROWS[OLD].body.replace(b'"tableseq":701', b'"tableseq":702')
    with closing(sqlite3.connect(path)) as sql:
        sql.execute("UPDATE received SET body = ? WHERE place = ?", (body, OLD + 1))
        sql.commit()


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("harm", [a_page, a_digit])
async def test_nothing_is_judged_from_a_spoilt_row_and_its_journal_is_set_aside(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    harm(record(tmp_path / "judge"))
    journal = await JudgeJournal.open(tmp_path / "judge")
    assert journal.damage is None
    before = await journal.rows_after(KEY, None, 500)
    assert [row.body for row in before] == [row.body for row in ROWS[:500]]
    with pytest.raises(JournalDamagedError):
        await journal.rows_after(KEY, ROWS[OLD - 1].at, 500)
    assert (tmp_path / f"judge{SEEN}").exists()
    with pytest.raises(JournalDamagedError):
        await journal.inspect()
    await journal.close()
    journal = await JudgeJournal.open(tmp_path / "judge")
    assert journal.damage is not None
    await journal.close()


@pytest.mark.usefixtures("large")
async def test_a_last_page_that_is_spoilt_is_found_at_once_and_the_file_let_go(tmp_path: Path) -> None:
    path = log(tmp_path / "log")
    spoil(path, ROWS[FEW - 1].body, b"\0")
    journal = await FieldJournal.open(path)
    assert journal.damage is not None
    assert journal.place == 0
    await journal.close()


@pytest.mark.parametrize(("made", "opened"), KINDS)
async def test_a_small_journal_is_checked_whole_after_a_kill_and_after_an_orderly_end(
    tmp_path: Path, made: Maker, opened: Opener
) -> None:
    path = made(tmp_path / "ended", FEW)
    killed = tmp_path / "killed"
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        sql.execute("CREATE TABLE more (x)")
        for end in ("", "-wal"):
            killed.with_name(killed.name + end).write_bytes(path.with_name(path.name + end).read_bytes())
    for each in (path, killed):
        spoil(each, ROWS[FEW // 2].body)
        journal = await opened(each)
        assert journal.damage is not None
        await journal.close()


async def test_a_look_ends_at_once_when_the_service_stops(tmp_path: Path) -> None:
    path = record(tmp_path / "judge")
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        sql.execute("PRAGMA synchronous=OFF")
        sql.execute("CREATE TABLE more (x)")
        sql.executemany("INSERT INTO more VALUES (zeroblob(3000))", [()] * 30_000)
    size = path.stat().st_size
    journal = await JudgeJournal.open(path)
    before = bytes_read()
    look = asyncio.ensure_future(journal.inspect())
    await asyncio.sleep(0)
    look.cancel()
    with suppress(asyncio.CancelledError):
        await look
    await journal.close()
    assert bytes_read() - before < size // 2
    assert not path.with_name(path.name + SEEN).exists()

"""A medium that does not give sectors back: each costs its page, and a start goes on without the journal that has them.

The adversary is a disk that answers EIO, to some reads or to all of them, and one that takes no more either.
"""

import asyncio
import errno
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from pitwarden.journal import database
from pitwarden.journal.damage import QuarantinedJournal, damage_marker
from pitwarden.journal.errors import JournalDamagedError, JournalError, JournalFullError, JournalUnwritableError
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.field_store import FieldStore
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.maintenance import check_integrity
from pitwarden.journal.salvage import SalvageResult, salvage
from pitwarden.journal.salvage_process import salvage_folder
from pitwarden.journal.sqlite_pages import PAGE
from testkit.journals.bad_sectors import on_bad_medium
from testkit.journals.log_rows import log_of
from testkit.journals.stored_night import FIELD, JUDGE, stored_night

ROWS = log_of(40)
Opener = Callable[[Path], Awaitable[FieldJournal | JudgeJournal]]
OPENERS: list[tuple[str, Opener]] = [(FIELD, FieldJournal.open), (JUDGE, JudgeJournal.open)]


def killed(folder: Path) -> Path:
    """Make a log as a kill leaves it: its rows, each committed alone, are in its write-ahead log only."""
    store = FieldStore(folder / "live")
    for row in ROWS:
        store.append([row])
    for end in ("", "-wal"):
        (folder / f"killed{end}").write_bytes((folder / f"live{end}").read_bytes())
    store.close()
    return folder / "killed"


def log_of_it(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def bodies(folder: Path) -> list[bytes]:
    store = FieldStore(folder / FIELD)
    found = [row.body for row in store.rows_after(0, 1_000)]
    store.close()
    return found


async def start(path: Path, opened: Opener) -> tuple[QuarantinedJournal | None, str]:
    """Return what a start finds, and what it salvages."""
    journal = await opened(path)
    await journal.close()
    if journal.damage is None:
        return None, ""
    kept = journal.damage.kept_as  # salvaged here, where the medium is bad, and not in a child
    return journal.damage, str(salvage(kept, salvage_folder(kept)))


@pytest.mark.parametrize("name", [FIELD, JUDGE])
def test_a_page_that_cannot_be_read_costs_what_a_spoilt_one_costs_and_is_named(tmp_path: Path, name: str) -> None:
    whole = (stored_night(tmp_path) / name).read_bytes()
    count = len(whole) // PAGE
    for first in (0, 3):
        hit = range(first, count, 5)
        spoilt = bytearray(whole)
        for page in hit:
            spoilt[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
        (tmp_path / "spoilt").write_bytes(spoilt)
        wanted = salvage(tmp_path / "spoilt", tmp_path / f"wanted-{first}")
        found = on_bad_medium({tmp_path / name: hit}, partial(salvage, tmp_path / name, tmp_path / f"out-{first}"))
        assert (found.rows, found.received, found.outputs) == (wanted.rows, wanted.received, wanted.outputs)
        assert found.rows + found.received + found.outputs > 0
        assert sorted(found.unreadable) == sorted(f"page {page + 1}" for page in hit)
        assert f"pages that cannot be read: {len(hit)} (" in str(found)


def test_a_medium_that_gives_nothing_back_is_no_error(tmp_path: Path) -> None:
    count = len((stored_night(tmp_path) / FIELD).read_bytes()) // PAGE
    found = on_bad_medium({tmp_path / FIELD: range(count)}, lambda: salvage(tmp_path / FIELD, tmp_path / "out"))
    named = ", ".join(f"page {n}" for n in range(1, 9))
    assert str(found) == f"no row could be read; pages that cannot be read: {count} ({named} and {count - 8} more)"


def test_a_sector_of_the_write_ahead_log_costs_the_frames_in_it(tmp_path: Path) -> None:
    path, written = killed(tmp_path), [row.body for row in ROWS]
    sectors = log_of_it(path).stat().st_size // PAGE

    def without(sector: int) -> tuple[SalvageResult, list[bytes]]:
        folder = tmp_path / f"out-{sector}"
        found = on_bad_medium({log_of_it(path): [sector]}, lambda: salvage(path, folder))
        return found, bodies(folder)

    found, kept = without(0)
    assert found.unreadable == ("the head of its log", "frame 1 of its log")
    assert kept == written, "the last image of a leaf holds all that the earlier ones held"
    found, kept = without(sectors // 2)
    assert found.unreadable
    assert kept == written
    found, kept = without(sectors)
    assert len(found.unreadable) == 1
    assert kept == written[:-1], "whether the last transaction ended cannot be read"


def test_where_the_newest_image_cannot_be_read_the_older_one_counts(tmp_path: Path) -> None:
    store = FieldStore(tmp_path / "log")
    for row in ROWS:
        store.append([row])
    with store.database.reading() as sql:
        sql.execute("PRAGMA wal_checkpoint(FULL)")  # each page stands in the file and in the log
    everything = range(1, log_of_it(tmp_path / "log").stat().st_size // PAGE + 1)
    on_bad_medium({log_of_it(tmp_path / "log"): everything}, lambda: salvage(tmp_path / "log", tmp_path / "out"))
    store.close()
    assert bodies(tmp_path / "out") == [row.body for row in ROWS]


@pytest.mark.parametrize("bad", [[], [0]])
def test_what_an_earlier_use_of_the_write_ahead_log_left_behind_is_not_taken(tmp_path: Path, bad: list[int]) -> None:
    store = FieldStore(tmp_path / "log")
    for row in ROWS:
        store.append([row])
    with store.database.reading() as sql:
        sql.execute("PRAGMA wal_checkpoint(FULL)")
        sql.execute("DELETE FROM row WHERE place <= 20")  # begins the log anew
        sql.execute("PRAGMA wal_checkpoint(FULL)")
    on_bad_medium({log_of_it(tmp_path / "log"): bad}, lambda: salvage(tmp_path / "log", tmp_path / "out"))
    store.close()
    assert bodies(tmp_path / "out") == [row.body for row in ROWS[20:]]


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize(("name", "opened"), OPENERS)
def test_a_start_sets_a_journal_aside_whose_head_or_tail_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, opened: Opener, *, last: bool, large: bool
) -> None:
    if large:
        monkeypatch.setattr(database, "WHOLE_PAGES", 0)
    evidence = (stored_night(tmp_path) / name).read_bytes()
    at = evidence.rindex(b'"tableseq"') // PAGE if last else 0
    path = tmp_path / name
    damage, said = on_bad_medium({path: [at]}, lambda: asyncio.run(start(path, opened)))
    assert damage is not None
    assert damage.kept_as.read_bytes() == evidence
    assert f"could be read and stand in {damage.kept_as}.salvage; pages that cannot be read: 1 (page {at + 1})" in said
    assert asyncio.run(start(path, opened)) == (None, "")


def test_a_start_sets_a_journal_aside_whose_write_ahead_log_cannot_be_read(tmp_path: Path) -> None:
    path = killed(tmp_path)
    damage, said = on_bad_medium({log_of_it(path): [3]}, lambda: asyncio.run(start(path, FieldJournal.open)))
    assert damage is not None
    assert said.startswith(f"{len(ROWS)} rows could be read")


@pytest.mark.parametrize(
    ("renames", "writes", "fault", "said"),
    [
        (errno.EROFS, 0, JournalUnwritableError, "cannot be set aside: Read-only file system"),
        (0, errno.EIO, JournalUnwritableError, "disk I/O error"),
        (0, errno.ENOSPC, JournalFullError, "full"),
    ],
)
def test_a_disk_that_takes_nothing_more_is_a_refusal_at_each_start_and_keeps_its_names(
    tmp_path: Path, renames: int, writes: int, fault: type[JournalError], said: str
) -> None:
    path = killed(tmp_path)
    evidence = [each.read_bytes() for each in (path, log_of_it(path))]
    for _ in range(2):
        with pytest.raises(fault, match=said):
            on_bad_medium({path: [0]}, lambda: asyncio.run(start(path, FieldJournal.open)), renames, writes)
    assert not list(tmp_path.glob("*.damaged-*"))
    assert [each.read_bytes() for each in (path, log_of_it(path))] == evidence
    damage, told = on_bad_medium({path: [0]}, lambda: asyncio.run(start(path, FieldJournal.open)))
    assert damage is not None
    assert told.startswith(f"{len(ROWS)} rows could be read")


async def test_a_look_that_cannot_read_the_head_has_found_damage(tmp_path: Path) -> None:
    path = stored_night(tmp_path) / FIELD
    journal = await FieldJournal.open(path)
    with pytest.raises(JournalDamagedError, match="disk I/O error"):
        on_bad_medium({path: [0]}, lambda: asyncio.run(check_integrity(path)))
    assert damage_marker(path) is not None
    await journal.close()

"""Real damage to real journals: what was not hit is salvaged byte for byte, and nothing is made up."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pitwarden.audit.evidence import open_log_evidence
from pitwarden.audit.verify import verify_journals
from pitwarden.cli.main import main
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.field_store import FieldStore
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import NewRow
from pitwarden.journal.salvage import FIELD, JUDGE, SalvageResult, salvage
from pitwarden.journal.salvage_process import salvage_folder
from pitwarden.journal.sqlite_pages import MAX_USES, PAGE, open_pages, read_records
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode, digest
from pitwarden_client.events.envelope import GENESIS
from pitwarden_client.events.status import PartStatus
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_tools.simulation.halves import field_half, judge_half
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.log_rows import log_of
from testkit.journals.stored_night import stored_night, whose
from testkit.processes.io_counters import bytes_read

INDEX_INNER, TABLE_INNER, INDEX_LEAF = 0x02, 0x05, 0x0A


def bodies(path: Path, table: str) -> list[bytes]:
    """Return the bodies of a journal's table in order; none where there is no such journal."""
    if not path.exists():
        return []
    order = "seq" if table == "output" else "place"
    with closing(sqlite3.connect(path)) as sql:
        return [body for (body,) in sql.execute(f"SELECT body FROM {table} ORDER BY {order}")]  # noqa: S608  ours


def page_types(whole: bytes) -> list[int]:
    return [whole[at] for at in range(0, len(whole), PAGE)]


def overwrite(path: Path, pages: list[int], fill: Callable[[int], bytes] = bytes) -> bytes:
    """Overwrite pages, counted from 0; return the lost bytes."""
    whole = bytearray(path.read_bytes())
    gone = b"".join(bytes(whole[n * PAGE : n * PAGE + PAGE]) for n in pages)
    for n in pages:
        whole[n * PAGE : n * PAGE + PAGE] = fill(PAGE)
    path.write_bytes(whole)
    return gone


def salvaged(folder: Path, name: str) -> tuple[SalvageResult, dict[str, list[bytes]]]:
    found = salvage(folder / name, folder / "out")
    return found, {
        "row": bodies(found.folder / FIELD, "row"),
        "received": bodies(found.folder / JUDGE, "received"),
        "output": bodies(found.folder / JUDGE, "output"),
    }


def test_a_log_whose_head_is_gone_is_salvaged_whole(tmp_path: Path) -> None:
    written = bodies(stored_night(tmp_path) / FIELD, "row")
    overwrite(tmp_path / FIELD, [0])
    found, kept = salvaged(tmp_path, FIELD)
    assert kept["row"] == written
    assert found.rows == len(written)
    assert str(found) == f"{len(written)} rows could be read and stand in {tmp_path / 'out'}"
    assert not (tmp_path / "out" / JUDGE).exists()


def test_a_log_whose_indexes_are_gone_is_salvaged_whole(tmp_path: Path) -> None:
    written = bodies(stored_night(tmp_path) / FIELD, "row")
    types = page_types((tmp_path / FIELD).read_bytes())
    inner = {INDEX_INNER, TABLE_INNER, INDEX_LEAF}
    overwrite(tmp_path / FIELD, [n for n, kind in enumerate(types) if n and kind in inner])
    _, kept = salvaged(tmp_path, FIELD)
    assert kept["row"] == written


@pytest.mark.parametrize("name", [FIELD, JUDGE])
@pytest.mark.parametrize("seed", range(4))
def test_what_was_not_hit_is_salvaged_and_nothing_else(tmp_path: Path, name: str, seed: int) -> None:
    tables = ["row"] if name == FIELD else ["received", "output"]
    stored_night(tmp_path)
    written = {table: bodies(tmp_path / name, table) for table in tables}
    chance = random.Random(seed)  # noqa: S311  where the damage falls
    types = page_types((tmp_path / name).read_bytes())
    hit = chance.sample(range(len(types)), max(2, len(types) // 8))
    fill: Callable[[int], bytes] = bytes if seed % 2 else chance.randbytes
    gone = overwrite(tmp_path / name, hit, fill)
    _, kept = salvaged(tmp_path, name)
    for table in tables:
        assert set(kept[table]) <= set(written[table])
        assert kept[table] == sorted(kept[table], key=written[table].index)
        lost = set(written[table]) - set(kept[table])
        assert all(body in gone or len(body) > PAGE // 2 for body in lost), "a row is lost that was not hit"
    assert sum(map(len, kept.values())) > 10


def test_a_changed_byte_in_a_row_costs_that_row(tmp_path: Path) -> None:
    written = bodies(stored_night(tmp_path) / FIELD, "row")
    whole = (tmp_path / FIELD).read_bytes()
    place = whole.index(written[30])
    (tmp_path / FIELD).write_bytes(whole[: place + 9] + b"?" + whole[place + 10 :])
    _, kept = salvaged(tmp_path, FIELD)
    assert kept["row"] == written[:30] + written[31:]


def test_rows_that_stand_in_the_write_ahead_log_only_are_salvaged_too(tmp_path: Path) -> None:
    rows = log_of(40)
    store = FieldStore(tmp_path / "live")
    for row in rows:
        store.append([row])
    for end in ("", "-wal"):
        (tmp_path / f"killed{end}").write_bytes((tmp_path / f"live{end}").read_bytes())
    store.close()
    overwrite(tmp_path / "killed", [0])
    _, kept = salvaged(tmp_path, "killed")
    assert kept["row"] == [row.body for row in rows]


@pytest.mark.parametrize("size", [3_000, PAGE - 100, PAGE, 5 * PAGE, 87_009])
def test_long_rows_are_put_together_from_their_pages(tmp_path: Path, size: int) -> None:
    body = f'{{"epoch":"e1","filling":"{"x" * size}"}}'.encode()
    store = FieldStore(tmp_path / "log")
    store.append([NewRow(Position(epoch="e1", number=1), digest(body), GENESIS, "t", body)])
    store.close()
    overwrite(tmp_path / "log", [0])
    _, kept = salvaged(tmp_path, "log")
    assert kept["row"] == [body]


JUNK = [b"", b"\0" * 20_000, b"\x0d" * 20_000, b"\x0d\0\0\xff\xff\0\0\0" * 3_000, b"x" * 9_999]


@pytest.mark.parametrize("whole", JUNK)
def test_what_is_no_journal_gives_nothing_and_no_error(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "junk").write_bytes(whole)
    found, _ = salvaged(tmp_path, "junk")
    assert str(found) == "no row could be read"


def test_each_salvage_has_a_folder_of_its_own(tmp_path: Path) -> None:
    damaged = tmp_path / "field.sqlite.damaged-1"
    first = salvage_folder(damaged)
    first.mkdir()
    assert first != salvage_folder(damaged)


def test_what_is_missing_between_salvaged_rows_is_named(tmp_path: Path) -> None:
    whole = (stored_night(tmp_path) / FIELD).read_bytes()
    written = bodies(tmp_path / FIELD, "row")
    overwrite(tmp_path / FIELD, [0, whole.index(written[30]) // PAGE])
    salvaged(tmp_path, FIELD)
    with open_log_evidence(tmp_path / "out" / FIELD) as log:
        findings = verify_journals(whose(), log, None).findings
    assert [found.kind for found in findings] == ["row_removed", "unsigned"]


@pytest.mark.parametrize("readable", [True, False])
def test_a_salvage_that_is_given_up_leaves_nothing(tmp_path: Path, *, readable: bool) -> None:
    stored_night(tmp_path)
    if not readable:
        overwrite(tmp_path / FIELD, list(range(len(page_types((tmp_path / FIELD).read_bytes())))))
    with pytest.raises(InterruptedError):
        salvage(tmp_path / FIELD, tmp_path / "out", lambda: True)
    assert not (tmp_path / "out").exists()


def test_the_command_says_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored_night(tmp_path)
    words = ["journal", "salvage", "--from", str(tmp_path / FIELD), "--out", str(tmp_path / "out")]
    assert main(words) == 0
    assert "rows could be read and stand in" in capsys.readouterr().out
    assert main(words) == 78
    assert "cannot be salvaged" in capsys.readouterr().err


async def test_both_halves_salvage_what_they_set_aside_and_say_so_in_their_status(tmp_path: Path) -> None:
    stored_night(tmp_path)
    for name in (FIELD, JUDGE):
        overwrite(tmp_path / name, [0])
    log, record = await FieldJournal.open(tmp_path / FIELD), await JudgeJournal.open(tmp_path / JUDGE)
    clock = FakeClock()
    field = await field_half(TAB_SHIELDED, clock, log, {})
    judge = await judge_half(TAB_SHIELDED, record, clock)
    pieces = field._pieces  # noqa: SLF001
    await pieces.faults.salvage()  # what `run` starts beside the work
    await judge._faults.salvage()  # noqa: SLF001
    await log.close()
    await record.close()
    for status in (pieces.statuses.online(), decode(PartStatus, judge._online())):  # noqa: SLF001  as the links say it
        [said] = [fault for fault in status.faults if "could be read and stand in" in fault]
        assert said.startswith("journal_damaged: ")
    for name in (FIELD, JUDGE):
        assert (tmp_path / f"{name}.damaged-1.salvage" / name).is_file()


def test_a_leaf_that_claims_everything_costs_a_few_reads(tmp_path: Path) -> None:
    cell = b"\xbf\x84\x3f\x01" + b"\x7f" * 489 + b"\0\0\0\2"  # a row of a megabyte, of which all but a little overflows
    at = PAGE - len(cell)
    pointers = 1_700
    leaf = b"\x0d" + b"\0\0" + pointers.to_bytes(2, "big") + b"\0\0\0" + at.to_bytes(2, "big") * pointers
    around = b"\0\0\0\2" + b"x" * (PAGE - 4)  # its own successor
    hostile = tmp_path / "hostile"
    hostile.write_bytes(bytes(PAGE) + around + leaf + bytes(PAGE - len(leaf) - len(cell)) + cell)
    with open_pages(hostile) as pages:
        before = bytes_read()
        assert [record for page, start in pages.all() for record in read_records(page, start, pages)] == []
        assert bytes_read() - before < (3 + MAX_USES + 1) * PAGE

"""Recently committed rows are given from memory, and always equal what the disk holds."""

from pathlib import Path

import pytest

from pitwarden.journal.errors import JournalOrderError
from pitwarden.journal.field_journal import RECENT_ROWS, FieldJournal
from pitwarden.journal.records import Checkpoint, NewRow, StoredRow
from pitwarden_client.events.table import Head
from testkit.journals.log_rows import log_of

OLD = 40  # rows that have left the memory
ROWS = log_of(RECENT_ROWS - 20, 20 + OLD)
PLACES = (0, 1, OLD - 1, OLD, OLD + 1, RECENT_ROWS - 20, len(ROWS) - 1, len(ROWS), len(ROWS) + 9)
LIMITS = (1, 7, 1_000)


def expected(place: int, limit: int, trimmed: int = 0) -> list[tuple[int, str, bytes]]:
    first = max(place, trimmed)
    return [(at, row.hash, row.body) for at, row in enumerate(ROWS[first : first + limit], first + 1)]


def told(rows: list[StoredRow]) -> list[tuple[int, str, bytes]]:
    return [(row.place, row.hash, row.body) for row in rows]


async def written(folder: Path, rows: list[NewRow]) -> FieldJournal:
    journal = await FieldJournal.open(folder / "log")
    for first in range(0, len(rows), 50):
        await journal.commit(rows[first : first + 50])
    return journal


async def test_the_last_rows_come_from_memory_and_the_others_from_the_disk(tmp_path: Path) -> None:
    journal = await written(tmp_path, ROWS)
    for place in PLACES:
        for limit in LIMITS:
            recent = journal.recent_after(place, limit)
            assert told(recent) == (expected(place, limit) if place >= OLD else [])
            assert told(await journal.rows_after(place, limit)) == expected(place, limit)
    await journal.close()

    journal = await FieldJournal.open(tmp_path / "log")
    assert [journal.recent_after(place, 1) for place in PLACES] == [[]] * len(PLACES)
    assert [told(await journal.rows_after(place, 7)) for place in PLACES] == [expected(place, 7) for place in PLACES]
    await journal.close()


@pytest.mark.parametrize("last", [OLD - 10, OLD, OLD + 60, len(ROWS)])
async def test_what_is_trimmed_is_not_remembered_either(tmp_path: Path, last: int) -> None:
    journal = await written(tmp_path, ROWS)
    row = ROWS[last - 1]
    gone = await journal.trim(Checkpoint(last, Head(at=row.at, hash=row.hash), "trimmed", "signer", "signature"))
    assert gone == last
    for place in PLACES:
        assert told(journal.recent_after(place, 7)) == (expected(place, 7) if place >= max(last, OLD) else [])
        assert told(await journal.rows_after(place, 7)) == expected(place, 7, trimmed=last)
    assert await journal.locate(row.at, row.hash) is None
    await journal.close()


async def test_rows_that_were_refused_are_never_given(tmp_path: Path) -> None:
    journal = await written(tmp_path, ROWS[:100])
    with pytest.raises(JournalOrderError):
        await journal.commit(ROWS[120:130])
    assert told(journal.recent_after(90, 50)) == expected(90, 10)
    await journal.commit(ROWS[100:110])
    assert told(journal.recent_after(90, 50)) == expected(90, 20)
    await journal.close()

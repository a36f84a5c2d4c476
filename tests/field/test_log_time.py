"""Log time over a restart: what has passed since the last row by the machine's own count, whatever UTC says."""

from pathlib import Path

import pytest

from pitwarden.field.log.epochs import open_epoch
from pitwarden.field.log.log_time import ANCHOR, LogTimeAnchor, parse_anchor
from pitwarden.field.log.row_builder import RowBuilder
from pitwarden.journal.errors import JournalFullError
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.system.clock import DAY_MS
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.table_log import KEYS, PLACE

HOUR_MS = 3_600_000
STOPPED_MS = 90_000
"""How long the service is stopped."""


async def started(folder: Path, clock: FakeClock, *, stored: bool = True) -> tuple[RowBuilder, int]:
    """Start once, with its first rows committed; return the builder of rows, and the log time of the first one."""
    journal = await FieldJournal.open(folder / "field.sqlite")
    if not stored:
        await journal.set_meta(ANCHOR, "")
    opening = await open_epoch(journal, PLACE, KEYS, clock)
    rows = [opening.rows.build(pending) for pending in opening.first]
    await journal.commit([row.stored for row in rows])
    await journal.close()
    return opening.rows, rows[0].event.logms


@pytest.mark.parametrize("step_ms", [0, 50 * 60_000, -50 * 60_000, 1_024 * 7 * DAY_MS, -1_024 * 7 * DAY_MS])
async def test_within_one_boot_no_step_of_utc_moves_it(tmp_path: Path, step_ms: int) -> None:
    clock = FakeClock(mono=HOUR_MS)
    _, before = await started(tmp_path, clock)
    clock.pass_ms(STOPPED_MS)
    clock.utc_now += step_ms
    _, during = await started(tmp_path, clock)
    clock.pass_ms(STOPPED_MS)
    clock.utc_now -= step_ms
    _, after = await started(tmp_path, clock)
    assert (during - before, after - during) == (STOPPED_MS, STOPPED_MS)


async def test_a_log_that_no_version_with_an_anchor_wrote_continues_by_utc(tmp_path: Path) -> None:
    clock = FakeClock(mono=HOUR_MS)
    _, before = await started(tmp_path, clock)
    clock.pass_ms(STOPPED_MS)
    _, after = await started(tmp_path, clock, stored=False)
    assert after - before == STOPPED_MS


@pytest.mark.parametrize(("utc_ms", "passed"), [(2 * HOUR_MS, 5_000), (2_000, 2_000), (-HOUR_MS, 0)])
async def test_after_a_reboot_it_continues_by_what_has_passed_since_the_boot_at_most(
    tmp_path: Path, utc_ms: int, passed: int
) -> None:
    clock = FakeClock(mono=HOUR_MS)
    _, before = await started(tmp_path, clock)
    rebooted = FakeClock(mono=5_000, utc_ms=clock.utc_now + utc_ms)
    rebooted.boot = "b" * 32
    _, after = await started(tmp_path, rebooted)
    assert after - before == passed
    rebooted.pass_ms(STOPPED_MS)
    assert (await started(tmp_path, rebooted))[1] - after == STOPPED_MS


@pytest.mark.parametrize("offset_ms", [-HOUR_MS, 10**15])
async def test_an_anchor_of_another_log_is_not_used(tmp_path: Path, offset_ms: int) -> None:
    clock = FakeClock(mono=1_000)
    _, before = await started(tmp_path, clock)
    journal = await FieldJournal.open(tmp_path / "field.sqlite")
    await journal.set_meta(ANCHOR, str(LogTimeAnchor(clock.boot_id(), offset_ms)))
    await journal.close()
    clock.pass_ms(STOPPED_MS)
    assert (await started(tmp_path, clock))[1] - before == STOPPED_MS


async def test_a_full_disk_does_not_prevent_a_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(_journal: FieldJournal, _name: str, _value: str) -> None:
        raise JournalFullError("no room")

    clock = FakeClock()
    with monkeypatch.context() as full:
        full.setattr(FieldJournal, "set_meta", refuse)
        _, before = await started(tmp_path, clock)
    clock.pass_ms(STOPPED_MS)
    assert (await started(tmp_path, clock))[1] - before == STOPPED_MS


async def test_a_machine_that_does_not_name_its_boot_stores_no_anchor(tmp_path: Path) -> None:
    clock = FakeClock(mono=HOUR_MS)
    clock.boot = ""
    await started(tmp_path, clock)
    journal = await FieldJournal.open(tmp_path / "field.sqlite")
    assert await journal.meta(ANCHOR) is None
    await journal.close()


async def test_a_row_of_a_later_version_is_older_than_utc_since_1970(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    await started(tmp_path, clock)

    def unreadable(model: type[LogEvent], payload: bytes) -> LogEvent:
        return decode(model, payload[1:])

    monkeypatch.setattr("pitwarden.field.log.log_time.decode", unreadable)
    rows, first = await started(tmp_path, clock)
    assert first == rows.time.log_ms() == clock.utc_now


@pytest.mark.parametrize("stored", [None, "", "no number", "boot 1 2"])
def test_what_is_no_anchor_is_none(stored: str | None) -> None:
    assert parse_anchor(stored) is None

"""A judge's old rows go: signed, behind a snapshot only; the rest still proves."""

from pathlib import Path

from pitwarden.audit.chains import AuditScope
from pitwarden.audit.evidence import open_judge_evidence, open_log_evidence
from pitwarden.audit.verify import verify_journals
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import SealedSnapshot
from pitwarden.judge import persistence as judge_housekeeping
from pitwarden.seal.keys import derive_checkpoint_key
from pitwarden.system.clock import DAY_MS
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.damage_reports import NoDamage
from testkit.journals.sealed_rows import PRIVATE, SIGNER, SITE
from testkit.journals.stored_night import FIELD, JUDGE, KEY, NIGHT, stored_night


async def test_the_judge_s_old_rows_go_behind_a_snapshot_only(tmp_path: Path) -> None:
    stored_night(tmp_path)
    journal = await JudgeJournal.open(tmp_path / JUDGE)
    late = FakeClock(utc_ms=NIGHT + 10 * DAY_MS)

    made = judge_housekeeping.JudgeRetention(
        journal, late, PRIVATE, (SITE, TAB_SHIELDED.table), days=2, newest_ms=lambda: newest_ms, faults=NoDamage()
    )
    newest_ms = NIGHT
    before = len(await journal.rows_after(KEY, None, 10_000))
    await made.once()
    assert len(await journal.rows_after(KEY, None, 10_000)) == before  # no snapshot, nothing to start from
    position = await journal.position(KEY)
    assert position is not None
    await journal.put_snapshot(KEY, SealedSnapshot(position.at, "r", "p", b"box"))
    last = await journal.last_output(KEY)
    await made.once()
    assert len(await journal.rows_after(KEY, None, 10_000)) == before  # the clock is ten days ahead of the newest row
    newest_ms = NIGHT + 10 * DAY_MS
    await made.once()
    kept = await journal.rows_after(KEY, None, 10_000)
    assert 0 < len(kept) < before
    assert b'"kind":"key.announced"' in kept[0].body
    assert await journal.last_output(KEY) == last  # the chain of outputs goes on where it was
    await journal.close()
    own = AuditScope(SITE, TAB_SHIELDED.table, (SIGNER.public,), (derive_checkpoint_key(PRIVATE).public,))
    with open_log_evidence(tmp_path / FIELD) as log, open_judge_evidence(tmp_path / JUDGE) as judge:
        assert not verify_journals(own, log, judge).findings
        stranger = AuditScope(SITE, TAB_SHIELDED.table, (SIGNER.public,), (SIGNER.public,))
        assert [found.kind for found in verify_journals(stranger, log, judge).findings] == ["forged"] * 2

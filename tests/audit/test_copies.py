"""Backup and restore: byte for byte, and a new epoch behind what was restored."""

import asyncio
import os
from pathlib import Path

import pytest

from pitwarden.audit.evidence import open_judge_evidence, open_log_evidence
from pitwarden.audit.verify import verify_journals
from pitwarden.cli.main import main
from pitwarden.field.log.epochs import FieldKeys, open_epoch
from pitwarden.field.log.row_builder import LogIdentity
from pitwarden.journal.field_journal import FieldJournal
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.sealed_rows import PRIVATE, SIGNER, SITE
from testkit.journals.stored_night import FIELD, JUDGE, file, new_row, stored_night, whose
from testkit.journals.tampering import tamper

__all__ = ["file"]

SERVICE = 12_345
"""A number that no account here has."""


def test_a_backup_restores_byte_for_byte_and_is_taken_while_the_log_is_open(file: Path) -> None:
    journals, copies = file.parent / "journals", file.parent / "copies"

    async def back_up_while_it_is_written() -> None:
        journal = await FieldJournal.open(journals / FIELD)
        assert await asyncio.to_thread(main, ["journal", "backup", "--config", str(file), "--out", str(copies)]) == 0
        restored = ["journal", "restore", "--config", str(file), "--from", str(copies)]
        assert await asyncio.to_thread(main, restored) == 78  # the service has it open
        await journal.close()

    asyncio.run(back_up_while_it_is_written())
    with open_log_evidence(journals / FIELD) as log:
        before = [row.body for row in log.rows()]
    tamper(journals / FIELD, lambda sql: sql.execute("DELETE FROM row WHERE place > 5"))
    assert main(["journal", "restore", "--config", str(file), "--from", str(copies)]) == 0
    assert (journals / f"{FIELD}.before-restore-1").exists()
    assert (journals / FIELD).stat().st_mode & 0o777 == 0o600
    with open_log_evidence(journals / FIELD) as log, open_judge_evidence(journals / JUDGE) as judge:
        assert [row.body for row in log.rows()] == before
        assert not verify_journals(whose(), log, judge).findings


@pytest.mark.skipif(os.geteuid() != 0, reason="only root restores for another account")
def test_what_root_restores_belongs_to_the_account_of_the_folder(file: Path) -> None:
    journals, copies = file.parent / "journals", file.parent / "copies"
    assert main(["journal", "backup", "--config", str(file), "--out", str(copies)]) == 0
    for path in (journals, *journals.iterdir()):
        os.chown(path, SERVICE, SERVICE)
    assert main(["journal", "restore", "--config", str(file), "--from", str(copies)]) == 0
    assert {(path.stat().st_uid, path.stat().st_gid) for path in journals.iterdir()} == {(SERVICE, SERVICE)}
    assert (journals / FIELD).stat().st_mode & 0o777 == 0o600


def test_what_is_no_backup_is_not_restored(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copies = file.parent / "copies"
    words = ["journal", "restore", "--config", str(file), "--from", str(copies)]
    assert main(words) == 78
    assert main(["journal", "backup", "--config", str(file), "--out", str(copies)]) == 0
    assert main(["journal", "backup", "--config", str(file), "--out", str(copies)]) == 78  # never over an older one
    tamper(copies / FIELD, lambda sql: sql.execute("DELETE FROM row WHERE place > 5"))
    assert main(words) == 78
    assert "is not the copy that the backup wrote" in capsys.readouterr().err
    (copies / "backup.json").write_text('{"sha256": {"../../etc/passwd": "0"}}')
    assert main(words) == 78
    assert not list((file.parent / "journals").glob("*.before-restore-*"))


async def test_a_restored_log_opens_a_new_epoch_behind_what_was_restored(tmp_path: Path) -> None:
    stored_night(tmp_path)
    journal = await FieldJournal.open(tmp_path / FIELD)
    restored, known = journal.head, {record.epoch for record in await journal.epochs()}
    place = LogIdentity(SITE, TAB_SHIELDED.table, simulated=True)
    opening = await open_epoch(journal, place, FieldKeys(SIGNER, (PRIVATE.public_key,)), FakeClock())
    await journal.commit([new_row(opening.rows.build(pending)) for pending in opening.first])
    newest = (await journal.epochs())[-1]
    assert newest.epoch not in known
    assert newest.parent == restored
    await journal.close()

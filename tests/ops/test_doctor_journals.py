"""What `pitwarden doctor` says of journals that are damaged or of another version."""

import os
from pathlib import Path

import pytest

from pitwarden.journal.damage import mark_damaged
from pitwarden.journal.database import WRITTEN_BY
from pitwarden.journal.field_store import FieldStore
from pitwarden.journal.judge_store import JudgeStore
from testkit.tables.examined_table import file, found, only_bad_finding

__all__ = ["file"]


async def test_a_damaged_journal(file: Path) -> None:
    journals = file.parent / "journals"
    journals.mkdir()
    (journals / "field.sqlite").write_bytes(b"SQLite format 3\0" + bytes(4_000))
    JudgeStore(journals / "judge.sqlite").close()
    mark_damaged(journals / "judge.sqlite", "seen last night")
    (journals / "judge.sqlite.damaged-1").write_bytes(b"")
    findings = await found(file)
    assert "field.sqlite" in only_bad_finding(findings, "field journal")
    assert "seen last night" in only_bad_finding(findings, "judge journal")
    assert any("judge.sqlite.damaged-1" in each.what for each in findings if each.level == "warning")


async def test_a_journal_of_a_newer_version(file: Path) -> None:
    journals = file.parent / "journals"
    journals.mkdir()
    field, judge = FieldStore(journals / "field.sqlite"), JudgeStore(journals / "judge.sqlite")
    judge.set_meta("harbor/ta01", WRITTEN_BY, "99.0")
    with field.database.transaction() as sql:
        sql.execute("PRAGMA user_version=99")
    field.database.close()
    judge.database.close()
    findings = await found(file)
    assert "layout 99" in only_bad_finding(findings, "field journal")
    assert "pitwarden 99.0 went on with it" in only_bad_finding(findings, "judge journal")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to another account")
async def test_a_journal_of_another_account_than_its_folder(file: Path) -> None:
    journals = file.parent / "journals"
    journals.mkdir()
    FieldStore(journals / "field.sqlite").database.close()
    for path in (journals, *journals.iterdir()):
        os.chown(path, 12_345, 12_345)
    os.chown(journals / "field.sqlite", 0, 0)
    (journals / "field.sqlite.damaged-1").write_bytes(b"")
    said = only_bad_finding(await found(file), "field journal")
    assert said.startswith(
        f"{journals}/field.sqlite belongs to root, its folder to account 12345"
        f" / chown --reference={journals} {journals}/field.sqlite"
    )
    assert "damaged" not in said

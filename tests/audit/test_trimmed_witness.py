"""A witness knows rows that were trimmed by age since. They are no finding, and they hide no rollback."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pitwarden.audit.evidence import open_judge_evidence, open_log_evidence
from pitwarden.audit.verify import OutsideWitnesses, verify_journals
from pitwarden.field.log.epochs import CheckpointSigner
from pitwarden.journal.field_store import trim_field
from pitwarden.journal.judge_retention import trim_judge
from pitwarden.journal.records import JudgeCheckpoint
from pitwarden.seal.keys import derive_checkpoint_key
from pitwarden.seal.signed_rows import sign_checkpoint
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head
from pitwarden_client.verification.signed_rows import SigningScope
from testkit.journals.laundering import published_heads, published_records, rolled_back
from testkit.journals.sealed_rows import PRIVATE, SIGNER, SITE
from testkit.journals.stored_night import FIELD, JUDGE, KEY, PLACE, file, whose

__all__ = ["file"]


# A rollback by an epoch removes the announcement of the judge's key too; an auditor has it as a file.
WHOSE = replace(whose(), shown=(derive_checkpoint_key(PRIVATE).public,))


def trim(journals: Path, place: int) -> None:
    """Trim both journals up to this place of the log, each with its signed checkpoint."""
    with closing(sqlite3.connect(journals / FIELD)) as sql:
        query = "SELECT name, number, hash FROM row JOIN epoch ON epoch.id = row.epoch WHERE place = ?"
        epoch, number, held = sql.execute(query, (place,)).fetchone()
        head = Head(at=Position(epoch=epoch, number=number), hash=held)
        trim_field(sql, CheckpointSigner(SIGNER, PLACE).sign(place, head, "trimmed"))
        sql.commit()
    with closing(sqlite3.connect(journals / JUDGE)) as sql:
        signer = derive_checkpoint_key(PRIVATE)
        signature = sign_checkpoint(signer, SigningScope(SITE, PLACE.table, epoch), head, "trimmed")
        trim_judge(sql, KEY, JudgeCheckpoint(head, signer.public, signature))
        sql.commit()


def kinds(journals: Path, outside: OutsideWitnesses) -> Sequence[str]:
    with open_log_evidence(journals / FIELD) as log, open_judge_evidence(journals / JUDGE) as judge:
        return [f"{found.kind} {found.where}" for found in verify_journals(WHOSE, log, judge, outside).findings]


def last_epoch(journals: Path) -> int:
    """Return the place of the first row of the last epoch."""
    with closing(sqlite3.connect(journals / FIELD)) as sql:
        return int(sql.execute("SELECT max(first_place) FROM epoch").fetchone()[0])


@pytest.mark.parametrize("kept", ["heads", "records"])
def test_trimmed_rows_of_an_earlier_epoch_are_no_finding(file: Path, kept: str) -> None:
    journals = file.parent / "journals"
    outside = OutsideWitnesses(published_heads(journals), published_records(journals))
    chosen = OutsideWitnesses(heads=outside.heads) if kept == "heads" else OutsideWitnesses(records=outside.records)
    trim(journals, last_epoch(journals))
    assert kinds(journals, chosen) == []


@pytest.mark.parametrize("kept", ["heads", "records"])
def test_a_rollback_by_an_epoch_is_seen_in_trimmed_journals_too(file: Path, kept: str) -> None:
    journals = file.parent / "journals"
    outside = OutsideWitnesses(published_heads(journals), published_records(journals))
    chosen = OutsideWitnesses(heads=outside.heads) if kept == "heads" else OutsideWitnesses(records=outside.records)
    rolled_back(journals)
    trim(journals, 20)
    found = kinds(journals, chosen)
    assert found
    assert all(one.startswith("older_copy") for one in found)


def test_a_trimmed_log_that_lost_an_epoch_is_seen_by_the_judge_s_copy(file: Path) -> None:
    journals = file.parent / "journals"
    trim(journals, 20)
    newer = (journals / JUDGE).read_bytes()
    rolled_back(journals)
    (journals / JUDGE).write_bytes(newer)
    with closing(sqlite3.connect(journals / FIELD)) as sql:
        assert sql.execute("SELECT count(*) FROM checkpoint WHERE mark = 'trimmed'").fetchone()[0] == 0
    trimmed_again(journals)
    assert "older_copy log" in kinds(journals, OutsideWitnesses())


def trimmed_again(journals: Path) -> None:
    """Put the signed checkpoint of the trimmed rows back, which `rolled_back` removes with all marks."""
    with closing(sqlite3.connect(journals / FIELD)) as sql, closing(sqlite3.connect(journals / JUDGE)) as record:
        words = record.execute("SELECT value FROM meta WHERE name = 'trimmed'").fetchone()[0].split(" ")
        head = Head(at=Position(epoch=words[0], number=int(words[1])), hash=words[2])
        trim_field(sql, CheckpointSigner(SIGNER, PLACE).sign(20, head, "trimmed"))
        sql.commit()

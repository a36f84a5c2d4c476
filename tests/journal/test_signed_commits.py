"""Every commit is signed where it ends, and a start goes on from nothing that no key of the table has signed."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pitwarden.field.log.epochs import CheckpointSigner, FieldKeys, open_epoch
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.stored_signatures import put_checkpoint
from pitwarden.judge.persistence import JudgeSigner
from pitwarden.seal.keys import PrivateKey, SigningKey
from pitwarden_client.events.codec import decode
from pitwarden_client.events.status import PartStatus
from pitwarden_client.events.table import EpochOpened, Head
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_tools.simulation import halves
from pitwarden_tools.simulation.halves import field_half, judge_half
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.laundering import (
    cut_record,
    cut_record_and_signature,
    mark_of_another_place,
    milder_verdicts,
    milder_verdicts_unsigned,
    no_closing_mark,
    no_mark,
    no_oldest_rows,
    trimmed_by_nobody,
)
from testkit.journals.log_rows import head, log_of
from testkit.journals.sealed_rows import PRIVATE, SIGNER, SITE
from testkit.journals.stored_night import FIELD, JUDGE, KEY, PLACE, new_row, stored_night
from testkit.journals.tampering import Tampering, change_an_output, cut_tail_and_marks, tamper

ROWS = log_of(12)


def judge_signer(*keys: PrivateKey) -> JudgeSigner:
    return JudgeSigner(keys or (PRIVATE,), SITE, TAB_SHIELDED.table)


def bodies(path: Path) -> list[tuple[bytes]]:
    with closing(sqlite3.connect(path)) as sql:
        return sql.execute("SELECT body FROM row ORDER BY place").fetchall()


async def test_the_newest_signature_is_always_that_of_the_newest_row(tmp_path: Path) -> None:
    signer = CheckpointSigner(SIGNER, PLACE)
    journal = await FieldJournal.open(tmp_path / FIELD)
    assert (await journal.begin_signing(signer)).state == "none"
    for row in ROWS:
        await journal.commit([row])
        assert journal.signed is not None
        assert (journal.signed.head, journal.signed.place) == (journal.head, journal.place)
        assert signer.is_valid(journal.signed)
    assert [mark.mark for mark in await journal.checkpoints()] == ["head"]
    await journal.close()
    again = await FieldJournal.open(tmp_path / FIELD)
    assert {mark.mark for mark in await again.checkpoints()} == {"head", "closed"}
    assert (await again.begin_signing(signer)).state == "signed"
    await again.close()


async def test_a_killed_service_leaves_nothing_unsigned(tmp_path: Path) -> None:
    """The files as a power cut leaves them: the write-ahead log is there, the closing mark is not."""
    journal = await FieldJournal.open(tmp_path / FIELD)
    await journal.begin_signing(CheckpointSigner(SIGNER, PLACE))
    await journal.commit(ROWS)
    killed = tmp_path / "killed"
    killed.mkdir()
    for name in (FIELD, f"{FIELD}-wal"):
        shutil.copy(tmp_path / name, killed / name)
    await journal.close()
    after = await FieldJournal.open(killed / FIELD)
    assert (await after.begin_signing(CheckpointSigner(SIGNER, PLACE))).state == "signed"
    assert after.place == len(ROWS)
    await after.close()


async def test_a_key_that_was_replaced_still_vouches_for_what_it_signed(tmp_path: Path) -> None:
    stored_night(tmp_path)
    new = SigningKey.generate()
    for replaced, state in (((SIGNER.public,), "signed"), ((), "set_aside")):
        journal = await FieldJournal.open(tmp_path / FIELD)
        assert (await journal.begin_signing(CheckpointSigner(new, PLACE, replaced))).state == state
        await journal.close()
        stored_night(tmp_path)
    record = await JudgeJournal.open(tmp_path / JUDGE)
    other = PrivateKey.generate()
    assert (await record.begin_signing(KEY, judge_signer(other, PRIVATE))).state == "signed"
    assert (await record.begin_signing(KEY, judge_signer(other))).state == "set_aside"
    await record.close()


@pytest.mark.parametrize(
    "harm",
    [cut_tail_and_marks, no_mark, mark_of_another_place, no_oldest_rows, trimmed_by_nobody],
    ids=lambda harm: harm.__name__,
)
async def test_a_log_that_nobody_signed_is_kept_and_not_gone_on_from(
    harm: Tampering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halves, "SITE", SITE)
    monkeypatch.setattr(halves, "SIGNER", SIGNER)
    stored_night(tmp_path)
    tamper(tmp_path / FIELD, harm)
    before = bodies(tmp_path / FIELD)
    journal = await FieldJournal.open(tmp_path / FIELD)
    half = await field_half(TAB_SHIELDED, FakeClock(), journal, {})
    assert journal.damage is not None
    assert (journal.damage.unsigned, journal.damage.kept_as.name) == (True, f"{FIELD}.unsigned-1")
    assert bodies(tmp_path / f"{FIELD}.unsigned-1") == before
    assert (journal.head, journal.place) == (None, 0)
    assert "log_forked" in half._pieces.statuses.online().faults  # noqa: SLF001  the parts of a half
    assert half._pieces.log.waiting == 3  # noqa: SLF001  opening, key, and the fault that holds the table
    await journal.close()


async def test_signed_rows_in_a_file_without_closing_mark_are_kept_and_the_table_holds(tmp_path: Path) -> None:
    stored_night(tmp_path)
    tamper(tmp_path / FIELD, no_closing_mark)
    journal = await FieldJournal.open(tmp_path / FIELD)
    place = journal.place
    opening = await open_epoch(journal, PLACE, FieldKeys(SIGNER, (PRIVATE.public_key,)), FakeClock())
    first = opening.first[0].content
    assert isinstance(first, EpochOpened)
    assert (first.past, opening.past.state, journal.damage) == ("not_closed", "not_closed", None)
    assert first.parent == journal.head
    assert journal.place == place
    await journal.close()


def checkpoint(head: Head, place: int, signer: CheckpointSigner) -> Tampering:
    made = signer.sign(place, head, "head")

    def put(sql: sqlite3.Connection) -> None:
        put_checkpoint(sql, made)

    return put


OURS = CheckpointSigner(SIGNER, PLACE)


@pytest.mark.parametrize(
    ("mark", "state"),
    [
        (checkpoint(head(ROWS[7]), 8, OURS), "adopted"),
        (checkpoint(head(ROWS[11]), 12, OURS), "signed"),
        (checkpoint(head(log_of(20)[19]), 20, OURS), "set_aside"),
        (checkpoint(head(ROWS[7]), 8, CheckpointSigner(SigningKey.generate(), PLACE)), "set_aside"),
    ],
    ids=["signed a second ago", "signed", "signed behind its end", "signed by a stranger"],
)
async def test_a_log_of_an_older_version_is_taken_over_once(mark: Tampering, state: str, tmp_path: Path) -> None:
    old = await FieldJournal.open(tmp_path / FIELD)
    await old.commit(ROWS)
    await old.close()
    tamper(tmp_path / FIELD, mark)
    journal = await FieldJournal.open(tmp_path / FIELD)
    opening = await open_epoch(journal, PLACE, FieldKeys(SIGNER, (PRIVATE.public_key,)), FakeClock())
    assert opening.past.state == state
    if state == "adopted":
        await journal.commit([new_row(opening.rows.build(pending)) for pending in opening.first])
        await journal.close()
        tamper(tmp_path / FIELD, no_mark)  # a second time it is no older version's
        journal = await FieldJournal.open(tmp_path / FIELD)
        assert (await journal.begin_signing(OURS)).state == "set_aside"
    await journal.close()


@pytest.mark.parametrize(
    "harm",
    [cut_record, cut_record_and_signature, milder_verdicts, milder_verdicts_unsigned, change_an_output],
    ids=lambda harm: harm.__name__,
)
async def test_a_record_that_the_judge_did_not_sign_is_kept_and_dealing_withheld(
    harm: Tampering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halves, "SITE", SITE)
    monkeypatch.setattr(halves, "SIGNER", SIGNER)
    monkeypatch.setattr(halves, "PRIVATE", PRIVATE)
    stored_night(tmp_path)
    tamper(tmp_path / JUDGE, harm)
    with closing(sqlite3.connect(tmp_path / JUDGE)) as sql:
        outputs = sql.execute("SELECT count(*) FROM output").fetchone()
    record = await JudgeJournal.open(tmp_path / JUDGE)
    if record.damage is not None:  # a hash of the newest rows does not fit: the older check is first
        assert harm is change_an_output
        await record.close()
        return
    half = await judge_half(TAB_SHIELDED, record, FakeClock())
    assert "verify the decks" in half._faults.distrust  # noqa: SLF001  what withholds the permit
    assert any(fault.startswith("log_forked: ") for fault in decode(PartStatus, half._online()).faults)  # noqa: SLF001
    assert await record.position(KEY) is None
    await record.close()
    with closing(sqlite3.connect(tmp_path / JUDGE)) as sql:
        kept = f"{KEY}!unsigned-1"
        assert sql.execute("SELECT count(*) FROM output WHERE tbl = ?", (kept,)).fetchone() == outputs


async def test_a_record_of_a_judge_that_signed_nothing_yet_is_taken_over(tmp_path: Path) -> None:
    stored_night(tmp_path)
    with closing(sqlite3.connect(tmp_path / JUDGE)) as sql:
        sql.execute("DELETE FROM signed")
        sql.execute("DELETE FROM received WHERE instr(body, 'judge.announced')")
        sql.commit()
    record = await JudgeJournal.open(tmp_path / JUDGE)
    assert (await record.begin_signing(KEY, judge_signer())).state == "adopted"
    await record.close()


async def test_an_output_in_the_middle_that_breaks_the_chain_is_found_at_the_start(tmp_path: Path) -> None:
    stored_night(tmp_path)
    tamper(tmp_path / JUDGE, lambda sql: sql.execute("DELETE FROM output WHERE seq = 9"))
    record = await JudgeJournal.open(tmp_path / JUDGE)
    found = await record.begin_signing(KEY, judge_signer())
    assert (found.state, "output 8 is not the one" in found.reason) == ("set_aside", True)
    await record.close()

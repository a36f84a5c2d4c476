"""Manipulations of both journals of a stored night, by a person who knows the format, without keys and with one."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from pitwarden.audit.evidence import open_judge_evidence, open_log_evidence
from pitwarden.field.log.epochs import CheckpointSigner, FieldKeys, open_epoch
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.judge_store import last_output
from pitwarden.journal.records import OutputHead
from pitwarden.journal.stored_signatures import put_checkpoint, put_record_signature
from pitwarden.judge.persistence import JudgeSigner
from pitwarden.seal.keys import SigningKey
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode, digest, encode
from pitwarden_client.events.envelope import GENESIS, LogEvent, OutputEvent
from pitwarden_client.events.outputs import Duty, Irregularity
from pitwarden_client.events.status import LogHead, RecordHead
from pitwarden_client.events.table import Head
from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.sealed_rows import PRIVATE, SIGNER, SITE
from testkit.journals.stored_night import FIELD, JUDGE, KEY, PLACE, new_row, stored_night
from testkit.journals.tampering import Tampering, body, cut_tail, cut_tail_and_marks, other, rewrite, tamper

Manipulation = Callable[[Path], object]


def on_log(harm: Tampering) -> Manipulation:
    """Apply the manipulation to the log alone."""

    def manipulate(folder: Path) -> None:
        tamper(folder / FIELD, harm)

    manipulate.__name__ = f"log_{harm.__name__}"
    return manipulate


def on_judge(harm: Tampering) -> Manipulation:
    """Apply the manipulation to the judge's record alone."""

    def manipulate(folder: Path) -> None:
        tamper(folder / JUDGE, harm)

    manipulate.__name__ = f"judge_{harm.__name__}"
    return manipulate


def published_heads(folder: Path) -> tuple[tuple[str, LogHead], ...]:
    """Return the signed heads that the table published, as another machine has them: each tenth row's, and the last."""
    signer = CheckpointSigner(SIGNER, PLACE)
    with open_log_evidence(folder / FIELD) as log:
        rows = list(log.rows())
    kept = [*rows[::10], rows[-1]]
    signed = [signer.sign(row.place, Head(at=row.at, hash=row.hash), "head") for row in kept]
    return tuple(
        ("the historian", LogHead(at=c.head.at, hash=c.head.hash, signer=c.signer, signature=c.signature))
        for c in signed
    )


def published_records(folder: Path) -> tuple[tuple[str, RecordHead], ...]:
    """Return the signed ends of the judge's record, as another machine has them: each tenth row's, and the last."""
    signer = JudgeSigner((PRIVATE,), SITE, TAB_SHIELDED.table)
    with open_judge_evidence(folder / JUDGE) as judge:
        rows, outputs = list(judge.rows(KEY)), list(judge.outputs(KEY))
    made: list[tuple[str, RecordHead]] = []
    last = OutputHead(0, GENESIS)
    for index, row in enumerate(rows):
        last = next((OutputHead(o.seq, o.hash) for o in reversed(outputs) if o.cause == row.at), last)
        if index % 10 and row is not rows[-1]:
            continue
        signed = signer.sign(Head(at=row.at, hash=row.hash), last if last.seq else None)
        told = RecordHead(
            at=row.at, hash=row.hash, output=last.seq, outputhash=last.hash, signer=signed.signer,
            signature=signed.signature,
        )  # fmt: skip
        made.append(("the historian", told))
    return tuple(made)


def no_closing_mark(sql: sqlite3.Connection) -> None:
    sql.execute("DELETE FROM checkpoint WHERE mark = 'closed' AND place = (SELECT max(place) FROM row)")


def no_mark(sql: sqlite3.Connection) -> None:
    sql.execute("DELETE FROM checkpoint")


def mark_of_another_place(sql: sqlite3.Connection) -> None:
    """File the head's signature after rows that it does not cover."""
    cut_tail(sql)
    sql.execute("UPDATE checkpoint SET place = (SELECT max(place) FROM row)")


def no_oldest_rows(sql: sqlite3.Connection) -> None:
    sql.execute("DELETE FROM row WHERE place <= 20")


def trimmed_by_nobody(sql: sqlite3.Connection) -> None:
    """Remove the oldest rows, with an unsigned checkpoint that declares them trimmed."""
    number, held = sql.execute("SELECT number, hash FROM row WHERE place = 20").fetchone()
    sql.execute("DELETE FROM row WHERE place <= 20")
    values = (20, "e1", number, held, "trimmed", SIGNER.public, "A" * 86 + "==")
    sql.execute("INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?)", values)


def anew_without_marks(sql: sqlite3.Connection) -> None:
    rewrite(sql)
    sql.execute("DELETE FROM checkpoint")


def consumers_ahead(sql: sqlite3.Connection) -> None:
    sql.execute("UPDATE consumer SET place = place + 3")


def cut_record(sql: sqlite3.Connection) -> None:
    """Remove the judge's end and set its marks back."""
    sql.execute("DELETE FROM received WHERE place > (SELECT max(place) - 4 FROM received)")
    at = sql.execute("SELECT epoch, number, hash FROM received ORDER BY place DESC LIMIT 1").fetchone()
    sql.execute("UPDATE position SET epoch = ?, number = ?, hash = ?", at)
    sql.execute("DELETE FROM output WHERE seq > (SELECT max(seq) - 2 FROM output)")
    sql.execute("UPDATE published SET seq = (SELECT max(seq) FROM output)")


def cut_record_and_signature(sql: sqlite3.Connection) -> None:
    cut_record(sql)
    sql.execute("DELETE FROM signed")


def cut_both(folder: Path) -> None:
    """Remove the ends of both journals and set all marks back."""
    tamper(folder / FIELD, cut_tail_and_marks)
    tamper(folder / JUDGE, cut_record_and_signature)


def milder_verdicts(sql: sqlite3.Connection) -> None:
    """Every HOLD becomes an ALERT, every duty a done one, and the outputs are chained anew."""
    before = None
    for seq, said in sql.execute("SELECT seq, body FROM output ORDER BY seq").fetchall():
        event = decode(OutputEvent, said)
        data = event.data
        if isinstance(data, Irregularity):
            data = data.model_copy(update={"verdicts": ("ALERT",)})
        if isinstance(data, Duty):
            data = data.model_copy(update={"status": "done"})
        changed = encode(event.model_copy(update={"data": data, "prevhash": before or event.prevhash}))
        before = digest(changed)
        sql.execute("UPDATE output SET body = ?, hash = ? WHERE seq = ?", (changed, before, seq))


def milder_verdicts_unsigned(sql: sqlite3.Connection) -> None:
    milder_verdicts(sql)
    sql.execute("DELETE FROM signed")


def no_last_outputs(sql: sqlite3.Connection) -> None:
    sql.execute("DELETE FROM output WHERE seq > (SELECT max(seq) - 2 FROM output)")
    sql.execute("UPDATE published SET seq = (SELECT max(seq) FROM output)")


def one_output_more(sql: sqlite3.Connection) -> None:
    """Add a verdict after the last one."""
    seq, epoch, number, index, held, topic, said = sql.execute(
        "SELECT seq, epoch, number, idx, hash, topic, body FROM output ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    changes = {"outputseq": seq + 1, "index": index + 1, "id": f"{epoch}/{number}/{index + 1}", "prevhash": held}
    added = encode(decode(OutputEvent, said).model_copy(update=changes))
    values = (KEY, seq + 1, epoch, number, index + 1, digest(added), topic, added)
    sql.execute("INSERT INTO output VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)


def log_of_another_table(folder: Path) -> None:
    theirs = folder / "theirs"
    theirs.mkdir()
    shutil.copy(stored_night(theirs, CB_AUTO) / FIELD, folder / FIELD)


def both_of_another_table(folder: Path) -> None:
    theirs = folder / "theirs"
    theirs.mkdir()
    for name in (FIELD, JUDGE):
        shutil.copy(stored_night(theirs, CB_AUTO) / name, folder / name)


def laundered_by_a_start(folder: Path) -> None:
    """Both ends are removed, then both halves start once and stop in order."""
    cut_both(folder)
    start_once(folder)


def as_an_older_version(folder: Path) -> None:
    """Remove the marks of signed commits, so that a start accepts the journals as an older version's."""
    tamper(folder / FIELD, cut_tail_and_marks)
    tamper(folder / FIELD, lambda sql: sql.execute("PRAGMA user_version = 2"))
    start_once(folder)


def rolled_back(folder: Path) -> None:
    """Both journals are those of an earlier orderly stop: signed, closed, and not the newest."""
    with closing(sqlite3.connect(folder / FIELD)) as sql:
        first = sql.execute("SELECT first_place FROM epoch ORDER BY id DESC LIMIT 1").fetchone()[0]
        sql.execute("DELETE FROM row WHERE place >= ?", (first,))
        sql.execute("DELETE FROM epoch WHERE first_place >= ?", (first,))
        sql.execute("UPDATE consumer SET place = ?", (first - 1,))
        sql.execute("DELETE FROM checkpoint")
        # What that stop left: marks that the table's key made then.
        head = sql.execute("SELECT number, hash FROM row WHERE place = ?", (first - 1,)).fetchone()
        end = Head(at=Position(epoch="e1", number=head[0]), hash=head[1])
        signer = CheckpointSigner(SIGNER, PLACE)
        for mark in (signer.sign(first - 1, end, "head"), signer.sign(first - 1, end, "closed")):
            put_checkpoint(sql, mark)
        sql.commit()
    with closing(sqlite3.connect(folder / JUDGE)) as sql:
        sql.execute("DELETE FROM output WHERE epoch != 'e1'")
        sql.execute("DELETE FROM received WHERE epoch != 'e1'")
        sql.execute("UPDATE position SET epoch = 'e1', number = ?, hash = ?", head)
        sql.execute("UPDATE published SET seq = (SELECT max(seq) FROM output)")
        put_record_signature(
            sql, KEY, JudgeSigner((PRIVATE,), SITE, TAB_SHIELDED.table).sign(end, last_output(sql, KEY))
        )
        sql.commit()


def rolled_back_with_the_clock(folder: Path) -> None:
    """As `rolled_back`, and the table then starts with a clock that was set back too."""
    rolled_back(folder)
    start_once(folder, utc_ms=1_795_852_800_000 + 3_600_000)


def start_once(folder: Path, utc_ms: int = 1_795_938_800_000) -> None:
    """Open an epoch in the field half and stop in order; the judge inspects its record."""
    asyncio.run(_start_once(folder, utc_ms))


async def _start_once(folder: Path, utc_ms: int) -> None:
    field = await FieldJournal.open(folder / FIELD)
    opening = await open_epoch(field, PLACE, FieldKeys(SIGNER, (PRIVATE.public_key,)), FakeClock(utc_ms=utc_ms))
    await field.commit([new_row(opening.rows.build(pending)) for pending in opening.first])
    await field.close()
    judge = await JudgeJournal.open(folder / JUDGE)
    await judge.begin_signing(KEY, JudgeSigner((PRIVATE,), SITE, TAB_SHIELDED.table))
    await judge.close()


def sign_log_again(folder: Path, signer: SigningKey = SIGNER) -> None:
    """Whoever has the field half's key signs the end of the log, whatever it is, as an orderly stop does."""
    with closing(sqlite3.connect(folder / FIELD)) as sql:
        place, number, epoch, held = sql.execute(
            "SELECT place, number, name, hash FROM row JOIN epoch ON epoch.id = row.epoch ORDER BY place DESC LIMIT 1"
        ).fetchone()
        head = Head(at=Position(epoch=epoch, number=number), hash=held)
        sql.execute("DELETE FROM checkpoint WHERE place >= ? OR mark = 'head'", (place,))
        marks = CheckpointSigner(signer, PLACE)
        for checkpoint in (marks.sign(place, head, "head"), marks.sign(place, head, "closed")):
            put_checkpoint(sql, checkpoint)
        sql.execute("UPDATE consumer SET place = min(place, ?)", (place,))
        sql.commit()


def sign_record_again(folder: Path) -> None:
    """Whoever has the judge's key signs the end of its record, whatever it is."""
    with closing(sqlite3.connect(folder / JUDGE)) as sql:
        epoch, number, held = sql.execute("SELECT epoch, number, hash FROM position").fetchone()
        head = Head(at=Position(epoch=epoch, number=number), hash=held)
        put_record_signature(
            sql, KEY, JudgeSigner((PRIVATE,), SITE, TAB_SHIELDED.table).sign(head, last_output(sql, KEY))
        )
        sql.commit()


def field_key_rewrites(folder: Path) -> None:
    tamper(folder / FIELD, rewrite)
    sign_log_again(folder)


def field_key_cuts_both(folder: Path) -> None:
    cut_both(folder)
    sign_log_again(folder)


def judge_key_milder_verdicts(folder: Path) -> None:
    tamper(folder / JUDGE, milder_verdicts)
    sign_record_again(folder)


def judge_key_cuts_outputs(folder: Path) -> None:
    tamper(folder / JUDGE, no_last_outputs)
    sign_record_again(folder)


def judge_key_cuts_both(folder: Path) -> None:
    cut_both(folder)
    sign_record_again(folder)


def both_keys_cut_both(folder: Path) -> None:
    cut_both(folder)
    sign_log_again(folder)
    sign_record_again(folder)


def both_keys_rewrite_the_last_row(folder: Path) -> None:
    """Replace the last row in both journals, signed by both."""
    with closing(sqlite3.connect(folder / FIELD)) as sql:
        place = sql.execute("SELECT max(place) FROM row").fetchone()[0]
        changed = other(body(sql, place), logms=decode(LogEvent, body(sql, place)).logms + 1)
        sql.execute("UPDATE row SET body = ?, hash = ? WHERE place = ?", (changed, digest(changed), place))
        sql.commit()
    with closing(sqlite3.connect(folder / JUDGE)) as sql:
        sql.execute(
            "UPDATE received SET body = ?, hash = ? WHERE place = (SELECT max(place) FROM received)",
            (changed, digest(changed)),
        )
        sql.execute("UPDATE position SET hash = ?", (digest(changed),))
        sql.commit()
    sign_log_again(folder)
    sign_record_again(folder)

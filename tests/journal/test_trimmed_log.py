"""A log whose oldest rows are gone: who comes late begins behind them, on a signature, or is told so."""

from pathlib import Path

import pytest

from pitwarden.field.log.epochs import CheckpointSigner, retained_head
from pitwarden.field.log.retention import RetentionPolicy
from pitwarden.field.outbound.delivery import LogReplaySource
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.system.clock import DAY_MS
from pitwarden_client.chain.receiver import LogReceiver
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import encode
from pitwarden_client.events.status import ReplayRequest
from pitwarden_client.events.table import Head
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.sealed_rows import SIGNER, unsealer
from testkit.journals.stored_night import FIELD, KEY, NIGHT, PLACE, maintenance, stored_night


async def test_a_judge_without_a_journal_begins_behind_what_was_trimmed(tmp_path: Path) -> None:
    """Only on the field half's signature; the rows that it was sent before it heard of that come after all."""
    stored_night(tmp_path)
    journal = await FieldJournal.open(tmp_path / FIELD)
    await maintenance(journal, FakeClock(utc_ms=NIGHT + 10 * DAY_MS), RetentionPolicy(days=2)).once()
    rows = await journal.rows_after(0, 1_000)
    trimmed, ends = journal.trimmed, journal.head
    assert trimmed is not None
    assert ends is not None
    said = retained_head(CheckpointSigner(SIGNER, PLACE).sign(journal.place, ends, "head"), trimmed)
    await journal.close()
    receiver = LogReceiver(None, (), f"/{KEY}/")
    assert not receiver.take(rows[0].body).rows
    opener = unsealer()
    forged = said.model_copy(update={"trimmed": Head(at=trimmed.head.at, hash="f" * 64)})
    unsigned = said.model_copy(update={"trimmed_signature": None})
    for wrong in (forged, unsigned, said.model_copy(update={"trimmed": None})):
        assert opener.trimmed_head(encode(wrong)) is None
    assert opener.trimmed_head(b"junk") is None
    begins = opener.trimmed_head(encode(said))
    assert begins == trimmed.head
    receiver.begin(begins)
    taken = [row for body in [r.body for r in rows[1:]] for row in receiver.take(body).rows]
    assert [row.body for row in taken] == [row.body for row in rows]
    with pytest.raises(ValueError, match="begun once"):
        receiver.begin(begins)


async def test_a_consumer_behind_trimmed_rows_is_informed(tmp_path: Path) -> None:
    stored_night(tmp_path)
    journal = await FieldJournal.open(tmp_path / FIELD)
    [old] = await journal.rows_after(20, 1)
    await maintenance(journal, FakeClock(utc_ms=NIGHT + 10 * DAY_MS), RetentionPolicy(days=2)).once()
    trimmed = journal.trimmed
    assert trimmed is not None
    shelf = LogReplaySource(journal)
    edge, epoch = trimmed.head, trimmed.head.at.epoch
    for at, held, answer in (
        (old.at, old.hash, "trimmed"),
        (edge.at, edge.hash, trimmed.place),
        (edge.at, "f" * 64, "not_ours"),
        (Position(epoch=epoch, number=9_999), edge.hash, "not_ours"),
        (Position(epoch="elsewhere", number=1), edge.hash, "not_ours"),
    ):
        assert await shelf.find(ReplayRequest(id="q", of="log", after=at, hash=held, limit=1)) == answer
    await journal.close()

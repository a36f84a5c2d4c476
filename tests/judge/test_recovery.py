"""A restarted judge recovers its state, publishes nothing twice, and notices outputs that would differ."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pitwarden.field.log.row_builder import BuiltRow
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import ReceivedRow, SealedSnapshot, StoredOutput
from pitwarden.judge.intake import ROWS
from pitwarden.judge.recovery import recover, snapshot_context
from pitwarden.judge.table_judge import TableJudge
from pitwarden.rules import RULES_VERSION, SnapshotError, profile_digest, state_to_bytes
from pitwarden.seal.sealing import seal_snapshot
from pitwarden.service.judge_startup import RecoveryProgress
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest, encode
from pitwarden_client.events.envelope import OutputEvent
from pitwarden_client.events.outputs import Reveal
from pitwarden_client.events.table import Head
from pitwarden_client.verification.commitment import verify_reveal
from testkit.journals.sealed_rows import PRIVATE, sealed_night, table_judge


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[JudgeJournal]:
    opened = await JudgeJournal.open(tmp_path / "judge.sqlite")
    yield opened
    await opened.close()


def place(row: BuiltRow) -> Position:
    return Position(epoch=row.event.epoch, number=row.event.tableseq)


async def judge_row(judge: TableJudge, journal: JudgeJournal, row: BuiltRow) -> list[OutputEvent]:
    said = judge.chain.append(row.event, await judge.judge(row.event))
    outputs = [StoredOutput(s.event.outputseq, place(row), s.event.index, s.hash, "t", s.payload) for s in said]
    received = ReceivedRow(place(row), row.stored.hash, row.stored.body)
    await journal.store(judge.identity.key, [received], outputs, Head(at=place(row), hash=row.stored.hash))
    return [s.event for s in said]


async def test_a_recovery_ends_in_the_same_state_and_continues_the_same_chain(journal: JudgeJournal) -> None:
    rows = sealed_night()
    half = len(rows) * 2 // 3
    straight, interrupted = table_judge(journal), table_judge(journal)
    whole = []
    for row in rows:
        whole += [encode(each.event) for each in straight.chain.append(row.event, await straight.judge(row.event))]
    stored = []
    for row in rows[:half]:
        stored += [encode(event) for event in await judge_row(interrupted, journal, row)]
    again, folded = table_judge(journal), RecoveryProgress()
    assert await recover(again, journal, (PRIVATE,), folded.count_row)
    assert folded.rows == half
    assert again.public(simulated=True) == interrupted.public(simulated=True)
    for row in rows[half:]:
        stored += [encode(event) for event in await judge_row(again, journal, row)]
    assert stored == whole
    assert stored


async def test_other_tasks_have_their_turn_during_a_recovery(journal: JudgeJournal) -> None:
    judge = table_judge(journal)
    for row in sealed_night():
        await judge_row(judge, journal, row)
    turns, at = 0, list[int]()

    async def turning() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(turning())
    assert await recover(table_judge(journal), journal, (PRIVATE,), lambda: at.append(turns))
    other.cancel()
    assert len(at) == len(sealed_night()) > ROWS
    assert max(at.count(turn) for turn in at) <= ROWS


async def test_reveals_carry_what_checks_their_commitments(journal: JudgeJournal) -> None:
    judge = table_judge(journal)
    by_number = {row.event.tableseq: row.event for row in sealed_night()}
    reveals = []
    for row in sealed_night():
        reveals += [output for output in await judge.judge(row.event) if isinstance(output, Reveal)]
    assert reveals
    for reveal in reveals:
        row_data = by_number[reveal.event].data
        assert row_data.kind == "shoe.card"
        assert verify_reveal(by_number[reveal.event].source, reveal, row_data.face.commitment)


async def test_a_snapshot_spares_the_rows_before_it_and_changes_nothing(journal: JudgeJournal) -> None:
    judge = table_judge(journal)
    kept: Position | None = None
    profile = profile_digest(judge.setup)
    for row in sealed_night():
        await judge_row(judge, journal, row)
        try:
            plain = state_to_bytes(judge.state)
        except SnapshotError:
            continue
        kept = place(row)
        box = seal_snapshot(PRIVATE, snapshot_context(judge.identity.key, kept, profile), plain)
        await journal.put_snapshot(judge.identity.key, SealedSnapshot(kept, RULES_VERSION, profile, box))
    assert kept is not None
    assert kept.number > 2
    again = table_judge(journal)
    assert await recover(again, journal, (PRIVATE,))
    assert again.public(simulated=True) == judge.public(simulated=True)


async def test_a_snapshot_that_does_not_open_costs_time_only(journal: JudgeJournal) -> None:
    judge = table_judge(journal)
    for row in sealed_night():
        await judge_row(judge, journal, row)
    profile = profile_digest(judge.setup)
    at = place(sealed_night()[-1])
    await journal.put_snapshot(judge.identity.key, SealedSnapshot(at, RULES_VERSION, profile, b"damaged" * 100))
    await journal.put_snapshot(judge.identity.key, SealedSnapshot(at, "0.0.0-other", profile, b""))
    again = table_judge(journal)
    assert await recover(again, journal, (PRIVATE,))
    assert again.public(simulated=True) == judge.public(simulated=True)


async def test_a_snapshot_of_another_layout_is_folded_anew_from_the_stored_rows(journal: JudgeJournal) -> None:
    judge, between = table_judge(journal), b""
    for row in sealed_night():
        await judge_row(judge, journal, row)
        if not judge.state.round.open:
            at, between = place(row), state_to_bytes(judge.state)
    profile = profile_digest(judge.setup)
    former = json.dumps({**json.loads(between), "format": "former"}).encode()
    box = seal_snapshot(PRIVATE, snapshot_context(judge.identity.key, at, profile), former)
    await journal.put_snapshot(judge.identity.key, SealedSnapshot(at, RULES_VERSION, profile, box))
    again, folded = table_judge(journal), RecoveryProgress()
    assert await recover(again, journal, (PRIVATE,), folded.count_row)
    assert folded.rows == len(sealed_night())
    assert again.public(simulated=True) == judge.public(simulated=True)


async def test_what_would_be_said_differently_now_is_noticed_and_not_said(journal: JudgeJournal) -> None:
    judge = table_judge(journal)
    for row in sealed_night()[:-1]:
        await judge_row(judge, journal, row)
    last = sealed_night()[-1]
    said = judge.chain.append(sealed_night()[4].event, [reveal_of_another_time()])
    forged = [StoredOutput(s.event.outputseq, place(last), 0, digest(s.payload), "t", s.payload) for s in said]
    received = ReceivedRow(place(last), last.stored.hash, last.stored.body)
    await journal.store(judge.identity.key, [received], forged, Head(at=place(last), hash=last.stored.hash))
    count = await journal.last_output(judge.identity.key)
    again = table_judge(journal)
    assert not await recover(again, journal, (PRIVATE,))
    assert await journal.last_output(judge.identity.key) == count


def reveal_of_another_time() -> Reveal:
    return Reveal(epoch="e1", event=3, index=0, slot="found", face="10D", blind="0" * 64, commitment="0" * 64)


async def test_a_row_that_cannot_be_read_is_recovered_as_it_was_judged(journal: JudgeJournal) -> None:
    judge = table_judge(journal)
    for row in sealed_night()[:10]:
        await judge_row(judge, journal, row)
    at = Position(epoch="e1", number=11)
    key = judge.identity.key
    held = digest(b"{}")
    await journal.store(key, [ReceivedRow(at, held, b"{}", damaged=True)], [], Head(at=at, hash=held))
    again = table_judge(journal)
    assert not await recover(again, journal, (PRIVATE,))  # the rules say a HOLD here, and none was published
    assert again.public(simulated=True).as_of == at
    assert not again.public(simulated=True).permit.granted

"""The judge half between link and journal: duplicates are answered, damage is said, nothing leaves uncommitted."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from pitwarden.bus.messages import InboundMessage
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.judge.dependencies import JudgeDependencies
from pitwarden.judge.half import JudgeHalf
from pitwarden.rules import RULES_VERSION
from pitwarden.rules.setup.table_setup import TWO_PERSON_ACTS
from pitwarden.seal.keys import derive_checkpoint_key
from pitwarden_client.backoff import LinkBackoff
from pitwarden_client.events.codec import decode
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import ConsumerPosition, PartStatus, RecordHead
from pitwarden_client.events.table import Head
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_client.verification.signed_rows import SigningScope, verify_record
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.clocks.fake_clock import FakeClock
from testkit.clocks.waiting import until
from testkit.journals.sealed_rows import PRIVATE, SITE, sealed_night, table_judge

TOPICS = Topics(SITE, TAB_SHIELDED.table)


class Bench:
    """A judge half whose link is up to the test."""

    def __init__(self, half: JudgeHalf) -> None:
        self.half = half
        self.said: list[tuple[str, bytes]] = []
        self.acked: list[bytes] = []

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> "asyncio.Future[None]":
        del retain
        self.said.append((topic, payload))
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    def hear(self, payload: bytes, *, retained: bool = False) -> None:
        self.half._on_message(InboundMessage("t", payload, retained, lambda: self.acked.append(payload)))  # noqa: SLF001  what the link calls

    def positions(self) -> list[ConsumerPosition]:
        return [decode(ConsumerPosition, payload) for topic, payload in self.said if topic == TOPICS.position("judge")]

    def record_heads(self) -> list[RecordHead]:
        return [decode(RecordHead, payload) for topic, payload in self.said if topic == TOPICS.record]

    def states(self) -> list[TableState]:
        return [decode(TableState, payload) for topic, payload in self.said if topic == TOPICS.state]


@asynccontextmanager
async def bench(folder: Path, two_persons: tuple[str, ...] = ()) -> AsyncIterator[Bench]:
    journal = await JudgeJournal.open(folder / "judge.sqlite")
    judge = table_judge(journal)
    setup = replace(judge.setup, policy=replace(judge.setup.policy, two_persons=two_persons))
    half = await JudgeHalf.start(
        JudgeDependencies(
            judge.identity, setup, judge, journal, (PRIVATE,), BrokerSettings("127.0.0.1"), LinkBackoff(), "r",
            simulated=True, clock=FakeClock(), keep_days=400,
        )
    )  # fmt: skip
    made = Bench(half)
    half.link.publish = made.publish  # type: ignore[method-assign]
    half._up(False)  # noqa: FBT003, SLF001  what the link calls
    tasks = [asyncio.create_task(half.work.run()), asyncio.create_task(half.publisher.run())]  # as `run` does
    try:
        yield made
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await journal.close()


async def test_hello_names_the_rules_and_rows_move_the_position(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        [hello] = b.positions()
        assert hello.hello
        assert hello.announce is not None
        assert hello.announce.rules_version == RULES_VERSION
        for row in sealed_night()[:20]:
            b.hear(row.stored.body)
        await until(lambda: b.states() and b.states()[-1].as_of.number == 20)
        last = b.positions()[-1]
        assert last.at is not None
        assert (last.at.number, last.hash) == (20, sealed_night()[19].stored.hash)


async def test_rows_that_are_stored_already_are_answered_with_the_position(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        for row in sealed_night()[:20]:
            b.hear(row.stored.body)
        await until(lambda: b.states() and b.states()[-1].as_of.number == 20)
        count = len(b.positions())
        for row in sealed_night()[:20]:
            b.hear(row.stored.body)
        await until(lambda: len(b.positions()) > count)
        last = b.positions()[-1]
        assert last.at is not None
        assert last.at.number == 20


async def test_the_signed_end_of_the_record_is_published_and_again_after_a_start(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        assert b.record_heads() == [], "nothing is judged yet"
        for row in sealed_night():
            b.hear(row.stored.body)
        await until(lambda: b.states() and b.states()[-1].as_of.number == len(sealed_night()))
        assert len(b.record_heads()) == 1, "one a second, and the clock stands still"
        b.half.record_heads.publish()
        told = b.record_heads()[-1]
        last = await b.half._parts.journal.last_output(f"{SITE}/{TAB_SHIELDED.table}")  # noqa: SLF001  what is stored
    assert last is not None
    assert (told.hash, told.output, told.outputhash) == (sealed_night()[-1].stored.hash, last.seq, last.hash)
    scope = SigningScope(SITE, TAB_SHIELDED.table, told.at.epoch)
    head = Head(at=told.at, hash=told.hash)
    judge = derive_checkpoint_key(PRIVATE).public
    verify_record((told.signer, told.signature), scope, head, (told.output, told.outputhash), {judge})
    async with bench(tmp_path) as b:
        assert b.record_heads() == [told]


def covers(b: Bench, count: int) -> bool:
    return bool(b.states()) and b.states()[-1].as_of.number == count


async def test_a_judge_that_is_replaced_after_a_few_rows_stores_a_snapshot_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JudgeJournal, "snapshot_rows", 50)
    key, rows = f"{SITE}/{TAB_SHIELDED.table}", [row.stored.body for row in sealed_night()]
    for start in range(0, len(rows), 10):  # fewer than the interval in the life of each judge
        async with bench(tmp_path) as b:
            for body in rows[start : start + 10]:
                b.hear(body)
            await until(partial(covers, b, min(start + 10, len(rows))))
    journal = await JudgeJournal.open(tmp_path / "judge.sqlite")
    assert await journal.snapshots(key)
    await journal.close()


async def test_a_retained_row_is_no_row(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        first = sealed_night()[0].stored.body
        b.hear(first, retained=True)
        assert b.acked == [first]  # at once, so it is not used: what is used is acknowledged once it is committed
        for row in sealed_night()[1:3]:
            b.hear(row.stored.body)
        assert b.acked == [first]
        b.hear(first)
        await until(lambda: b.states() and b.states()[-1].as_of.number == 3)
        assert b.acked.count(first) == 2


async def test_a_damaged_journal_is_said_and_withholds_the_permit(tmp_path: Path) -> None:
    (tmp_path / "judge.sqlite").write_bytes(b"\0" * 8_192)
    async with bench(tmp_path) as b:
        status = decode(PartStatus, b.half._online())  # noqa: SLF001  what the link says for it
        assert any("journal_damaged" in fault for fault in status.faults)
        for row in sealed_night()[:20]:
            b.hear(row.stored.body)
        await until(lambda: b.states() and b.states()[-1].as_of.number == 20)
        assert not b.states()[-1].permit.granted
        assert "the judge's journal was damaged: verify the decks" in b.states()[-1].permit.reasons


async def test_the_status_states_which_acts_two_persons_do(tmp_path: Path) -> None:
    async with bench(tmp_path, two_persons=TWO_PERSON_ACTS) as b:
        status = decode(PartStatus, b.half._online())  # noqa: SLF001  what the link says for it
    assert status.two_persons == tuple(sorted(TWO_PERSON_ACTS))

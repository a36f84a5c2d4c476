"""Tables that are judged in this process: their rules, and their common journal, without a broker."""

import asyncio
from collections.abc import Sequence
from itertools import islice
from typing import Final

from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import ReceivedRow, StoredOutput
from pitwarden.judge.table_judge import TableIdentity, TableJudge
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode, digest
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import Head
from pitwarden_tools.bench.feed import SITE, Feed
from pitwarden_tools.bench.prepared import ROUNDS
from pitwarden_tools.bench.workloads import Workload

_TOPIC: Final = "t"  # no message is published from here

Decided = tuple[list[ReceivedRow], list[StoredOutput]]


class JudgedTable:
    """Table with the first `rows` rows of a night of its own, as they would arrive over the wire."""

    def __init__(self, name: str, night: Workload, journal: JudgeJournal, rows: int) -> None:
        identity = TableIdentity(SITE, name, "judge")
        feed = Feed(name, night.signer, night.private.public_key, ROUNDS)
        self._rows = iter([built.stored.body for built in islice(feed, rows)])
        self._journal, self._key = journal, identity.key
        self._judge = TableJudge(identity, night.setup, night.unsealer(name), journal)

    async def decided(self, rows: int) -> Decided:
        """Judge the next rows, decoded and opened."""
        received, outputs = list[ReceivedRow](), list[StoredOutput]()
        for payload in islice(self._rows, rows):
            row = decode(LogEvent, payload)
            at = Position(epoch=row.epoch, number=row.tableseq)
            said = self._judge.chain.append(row, await self._judge.judge(row))
            received.append(ReceivedRow(at, digest(payload), payload))
            outputs += [StoredOutput(o.event.outputseq, at, o.event.index, o.hash, _TOPIC, o.payload) for o in said]
        return received, outputs

    async def stored(self, rows: int) -> None:
        """Judge the next rows and commit them with their verdicts."""
        received, outputs = await self.decided(rows)
        await self._journal.store(self._key, received, outputs, Head(at=received[-1].at, hash=received[-1].hash))


async def stored(tables: Sequence[JudgedTable], rows: int) -> None:
    """Judge and commit the next rows of every table, all at the same time."""
    await asyncio.gather(*(table.stored(rows) for table in tables))

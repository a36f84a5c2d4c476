"""Audit: what people did through the console, as a chain of hashes. Entries are added and never changed.

An act is committed here before its input leaves, and its answer after it arrived; an act without an answer is sent
again with the same id. The table's log remains the truth about what happened at the table.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sqlalchemy import RowMapping, exists, insert, not_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_client.events.codec import digest
from pitwarden_client.events.envelope import GENESIS
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.pseudonym_records import RecordedPseudonyms
from pitwarden_console.store.schema import audit_entry

EntryKind = Literal[
    "sign-in", "sign-out", "refused-sign-in", "act", "answer", "refused-act", "second-asked", "second-withdrawn",
    "second-expired", "second-refused", "passkey-added", "passkey-removed", "session-ended", "role-changed",
    "rights-withdrawn", "pin-set", "pseudonymized",
    "shift", "silence", "shelve", "unshelve", "seen", "note", "report",
]  # fmt: skip
# Entries on one page of the audit. A narrower time shows the others.
MAX_LISTED: Final = 500


@dataclass(frozen=True, slots=True)
class AuditChain:
    """Result of a check: the number of entries, and the number of the first that is wrong."""

    count: int
    broken_at: int | None


async def append(connection: AsyncConnection, now_ms: int, content: Mapping[str, object]) -> None:
    """Add an entry in the caller's transaction, with what it records."""
    newest = select(audit_entry.c.hash).order_by(audit_entry.c.id.desc()).limit(1)
    previous = (await connection.execute(newest)).scalar_one_or_none() or GENESIS
    body = json.dumps({"at_ms": now_ms, **content, "prevhash": previous}, separators=(",", ":")).encode()
    await connection.execute(
        insert(audit_entry).values(
            at_ms=now_ms, kind=content["kind"], person=content["person"], input_id=content.get("input"),
            hash=digest(body), body=body,
        )
    )  # fmt: skip


class Audit:
    """The audit in the store."""

    def __init__(self, database: HistoryDatabase, clock: ConsoleClock) -> None:
        self._database, self._clock = database, clock

    async def add(
        self, kind: EntryKind, *, person: str, role: str, input_id: str | None = None, **details: object
    ) -> None:
        """Add an entry; it is committed when this returns.

        Raises:
            StoreError: The database failed; there is no entry.
        """
        content = {"kind": kind, "person": person, "role": role, "input": input_id, **details}
        async with self._database.writing() as connection:
            await append(connection, self._clock.utc_ms(), content)

    async def of_input(self, input_id: str) -> Mapping[str, Mapping[str, object]]:
        """Return the act and the answer of an input, by kind.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.reading() as connection:
            query = select(audit_entry).where(audit_entry.c.input_id == input_id).order_by(audit_entry.c.id)
            rows = (await connection.execute(query)).mappings().all()
        return {row["kind"]: json.loads(row["body"]) for row in rows}

    async def unanswered(self, since_ms: int) -> Sequence[Mapping[str, object]]:
        """Return the acts since `since_ms` (UTC) that have no answer.

        Raises:
            StoreError: The database failed.
        """
        answer = audit_entry.alias("answer")
        # Asked for each act by the index of input ids: a list of all answers would be that of years.
        answered = exists().where(answer.c.kind == "answer", answer.c.input_id == audit_entry.c.input_id)
        query = select(audit_entry.c.body).where(
            audit_entry.c.kind == "act", audit_entry.c.at_ms >= since_ms, not_(answered)
        )
        async with self._database.reading() as connection:
            return [json.loads(body) for (body,) in await connection.execute(query)]

    async def between(self, first_ms: int, last_ms: int) -> Sequence[Mapping[str, object]]:
        """Return the entries of a time, the newest first, at most `MAX_LISTED`.

        Raises:
            StoreError: The database failed.
        """
        query = select(audit_entry).where(audit_entry.c.at_ms >= first_ms, audit_entry.c.at_ms < last_ms)
        async with self._database.reading() as connection:
            rows = await connection.execute(query.order_by(audit_entry.c.id.desc()).limit(MAX_LISTED))
            return [json.loads(row["body"]) for row in rows.mappings()]

    async def check(self) -> AuditChain:
        """Hash every entry again, and compare it with the one after it.

        Raises:
            StoreError: The database failed.
        """
        previous, count = GENESIS, 0
        async with self._database.reading() as connection:
            rows: Sequence[RowMapping] = (
                (await connection.execute(select(audit_entry).order_by(audit_entry.c.id))).mappings().all()
            )
            recorded = await RecordedPseudonyms(connection, audit_entry).of(rows)
        for row in rows:
            # With pseudonyms in it an entry has the hash of its changed bytes next to that of the chain.
            stored = row["pseudonymized_hash"] if row["id"] in recorded else row["hash"]
            if digest(row["body"]) != stored or json.loads(row["body"]).get("prevhash") != previous:
                return AuditChain(len(rows), row["id"])
            previous, count = row["hash"], count + 1
        return AuditChain(count, None)

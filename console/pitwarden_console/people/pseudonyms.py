"""Pseudonyms: after the house's retention time, employee numbers in stored rows, outputs and audit become others.

A chain of hashes does not allow a byte to change. So a row keeps the hash with which it arrived and which its successor
names; next to it stands the hash of its changed bytes; and the audit, a chain of its own, records both hashes of every
row in the transaction that changes it. A pseudonym is keyed (HMAC-SHA256): who has the key and the house's list of
numbers can put the numbers back and prove each original hash again. Without the key no one can.

Threat: a change of the record under the name of this one, and a kill in the middle.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Table, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_client.events.codec import digest
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import StoreError
from pitwarden_console.people.audit import append
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import (
    account,
    audit_entry,
    incident,
    judge_output,
    log_row,
    look,
    note,
    passkey,
    session,
    shelf,
)

_LOG: Final = logging.getLogger("pitwarden_console")
# Rows that are changed in one transaction.
_PAGE: Final = 500
# Milliseconds between two runs of a console that serves.
DAY_MS: Final = 86_400_000
_PREFIX: Final = "ps-"
_DIGITS: Final = 24
_CHAINED: Final = (log_row, judge_output, audit_entry)
_PSEUDONYM: Final = re.compile(rb"ps-[0-9a-f]{24}")
_PERSON: Final = re.compile(rb'("(?:person|witness|by|not_by|dealer|first|whose)":")([A-Za-z0-9_-]{1,64})(")')
"""Fields of rows, outputs and audit entries that hold the number of a person."""
_TEXT: Final = re.compile(rb'"(?:reason|ruling|sentence|clears|label)":"(?:[^"\\]|\\.)*"')
"""Fields in which people write, where a number of a known person is replaced too."""
_WORD: Final = re.compile(rb"[A-Za-z0-9_-]+")
_NOBODY: Final = frozenset({"", "floor", "supervisor", "dealer", "judge", "field", "console"})


@dataclass(frozen=True, slots=True)
class PseudonymRun:
    """Result of a run: the number of changed rows, outputs, audit entries and accounts."""

    rows: int
    outputs: int
    entries: int
    accounts: int


class Pseudonyms:
    """Pseudonyms under a key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, person: str) -> str:
        """Return the pseudonym of a person's number; a pseudonym is its own."""
        if person in _NOBODY or _PSEUDONYM.fullmatch(person.encode()):
            return person
        made = hmac.new(self._key, person.encode(), hashlib.sha256).hexdigest()
        return f"{_PREFIX}{made[:_DIGITS]}"

    def hide(self, body: bytes, known: frozenset[bytes]) -> bytes:
        """Return the bytes of a row without numbers: those in fields of persons, and `known` ones in texts."""

        def person(found: re.Match[bytes]) -> bytes:
            return found[1] + self.of(found[2].decode()).encode() + found[3]

        def word(found: re.Match[bytes]) -> bytes:
            return self.of(found[0].decode()).encode() if found[0] in known else found[0]

        # The bytes of an input stand in the answer's entry as a text with escaped quotes.
        hidden = _PERSON.sub(person, body)
        hidden = re.sub(rb'(\\"(?:person|witness)\\":\\")([A-Za-z0-9_-]{1,64})(\\")', person, hidden)
        return _TEXT.sub(lambda text: _WORD.sub(word, text[0]), hidden)

    def restore(self, body: bytes, persons: Iterable[str]) -> bytes:
        """Return the bytes as they arrived, by the house's list of numbers."""
        numbers = {self.of(person).encode(): person.encode() for person in persons}
        return _PSEUDONYM.sub(lambda found: numbers.get(found[0], found[0]), body)


async def pseudonymize(
    database: HistoryDatabase, pseudonyms: Pseudonyms, before_ms: int, clock: ConsoleClock
) -> PseudonymRun:
    """Replace the numbers of persons in everything older than `before_ms` (UTC), and record it in the audit.

    A run that is killed is continued by the next one. What is changed already is left as it is.

    Raises:
        StoreError: The database failed; what was changed so far is recorded.
    """
    known = await _known(database)
    run = _Run(database, pseudonyms, before_ms, clock)
    rows, outputs, entries = [await run.bodies(table, known) for table in _CHAINED]
    return PseudonymRun(rows, outputs, entries, await run.people())


async def hidden_as_recorded(database: HistoryDatabase) -> tuple[int, bool]:
    """Return how many rows, outputs and entries have pseudonyms, and whether each is as the audit recorded it.

    Raises:
        StoreError: The database failed.
    """
    recorded, count, intact = 0, 0, True
    async with database.reading() as connection:
        query = select(audit_entry.c.body).where(audit_entry.c.kind == "pseudonymized").order_by(audit_entry.c.id)
        for body in (await connection.execute(query)).scalars().all():
            entry = json.loads(body)
            table = next(one for one in _CHAINED if one.name == entry["of"])
            recorded += len(entry["ids"])
            intact = intact and await _content(connection, table, entry["ids"]) == entry["content"]
        for table in _CHAINED:
            hidden = select(func.count()).select_from(table).where(table.c.hidden.is_not(None))
            count += (await connection.execute(hidden)).scalar_one()
    return count, intact and count == recorded


async def _content(connection: AsyncConnection, table: Table, ids: Sequence[int]) -> str:
    """Return one digest over both hashes of rows."""
    query = select(table.c.id, table.c.hash, table.c.hidden).where(table.c.id.in_(ids)).order_by(table.c.id)
    lines = [f"{row.id} {row.hash} {row.hidden}\n" for row in await connection.execute(query)]
    return digest("".join(lines).encode())


async def _known(database: HistoryDatabase) -> frozenset[bytes]:
    columns = (account.c.person, log_row.c.person, audit_entry.c.person)
    found: set[bytes] = set()
    async with database.reading() as connection:
        for column in columns:
            people = (await connection.execute(select(column).distinct())).scalars()
            found |= {each.encode() for each in people if each and each not in _NOBODY}
    return frozenset(found)


class _Run:
    """One run. Each page of rows is changed and recorded in one transaction."""

    def __init__(self, database: HistoryDatabase, pseudonyms: Pseudonyms, before_ms: int, clock: ConsoleClock) -> None:
        self._database, self._pseudonyms, self._before_ms, self._clock = database, pseudonyms, before_ms, clock

    async def bodies(self, table: Table, known: frozenset[bytes]) -> int:
        """Change the bytes of one table; return how many rows were changed."""
        last, count = 0, 0
        old = [table.c.at_ms < self._before_ms, table.c.hidden.is_(None)]
        if table is log_row:  # only inputs name persons: the index leads to them
            old.append(table.c.person.is_not(None))
        while True:
            # Read outside of the transaction that writes: most pages of outputs name no one, and tables wait for it.
            async with self._database.reading() as connection:
                query = select(table.c.id, table.c.body).where(table.c.id > last, *old)
                rows = (await connection.execute(query.order_by(table.c.id).limit(_PAGE))).all()
            changed = {row.id: self._pseudonyms.hide(row.body, known) for row in rows}
            changed = {row.id: changed[row.id] for row in rows if changed[row.id] != row.body}
            if changed:
                await self._write(table, changed)
            if not rows:
                return count
            last, count = rows[-1].id, count + len(changed)

    async def _write(self, table: Table, changed: Mapping[int, bytes]) -> None:
        async with self._database.writing() as connection:
            for ident, body in changed.items():
                made = update(table).where(table.c.id == ident)
                await connection.execute(made.values(body=body, hidden=digest(body)))
            await self._record(connection, table, list(changed))

    async def people(self) -> int:
        """Change what is indexed, and accounts that were closed before; return the number of accounts."""
        columns = (
            (log_row, "person", log_row.c.at_ms), (audit_entry, "person", audit_entry.c.at_ms),
            (judge_output, "by", judge_output.c.at_ms), (incident, "acknowledged_by", incident.c.opened_ms),
            (incident, "ended_by", incident.c.opened_ms), (session, "ended_by", session.c.created_ms),
            (passkey, "removed_by", passkey.c.created_ms), (shelf, "person", shelf.c.started_ms),
            (shelf, "closed_by", shelf.c.started_ms), (look, "person", look.c.at_ms), (note, "person", note.c.at_ms),
        )  # fmt: skip
        async with self._database.writing() as connection:
            for table, name, at_ms in columns:
                await self._column(connection, table, name, at_ms < self._before_ms)
            before = update(session).where(session.c.created_ms < self._before_ms)
            await connection.execute(before.values(address=""))
            closed = (await connection.execute(select(account).where(account.c.closed_ms < self._before_ms))).all()
            made = [row for row in closed if not row.person.startswith(_PREFIX)]
            for row in made:
                name = self._pseudonyms.of(row.person)
                values: Mapping[str, object] = {
                    "person": name, "login": name, "name": name, "password": "", "pin": None, "subject": None,
                }  # fmt: skip
                await connection.execute(update(account).where(account.c.id == row.id).values(**values))
        return len(made)

    async def _column(self, connection: AsyncConnection, table: Table, name: str, old: ColumnElement[bool]) -> None:
        column = table.c[name]
        for person in (await connection.execute(select(column).where(old).distinct())).scalars().all():
            if person and self._pseudonyms.of(person) != person:
                changed = update(table).where(old, column == person)
                await connection.execute(changed.values({name: self._pseudonyms.of(person)}))

    async def _record(self, connection: AsyncConnection, table: Table, ids: Sequence[int]) -> None:
        content = {
            "kind": "pseudonymized", "person": "", "role": "", "of": table.name, "ids": ids,
            "content": await _content(connection, table, ids),
        }  # fmt: skip
        await append(connection, self._clock.utc_ms(), content)


class PseudonymTask:
    """Daily run of a console that serves. It begins with one at the start."""

    def __init__(self, database: HistoryDatabase, pseudonyms: Pseudonyms, days: int, clock: ConsoleClock) -> None:
        self._database, self._pseudonyms, self._days, self._clock = database, pseudonyms, days, clock

    async def run(self) -> None:
        """Run until cancelled. A store that refuses is tried again the next day, and logged."""
        while True:
            before_ms = self._clock.utc_ms() - self._days * DAY_MS
            try:
                run = await pseudonymize(self._database, self._pseudonyms, before_ms, self._clock)
            except StoreError as error:
                _LOG.error("pseudonyms not made reason=%s", error)
            else:
                _LOG.info("pseudonyms made rows=%d outputs=%d entries=%d", run.rows, run.outputs, run.entries)
            await asyncio.sleep(DAY_MS / 1_000)

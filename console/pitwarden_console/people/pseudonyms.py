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
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Table, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_client.events.codec import digest
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import StoreError
from pitwarden_console.people.audit import append
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.pseudonym_records import CHAINED, PSEUDONYMIZED, hashes_of
from pitwarden_console.store.schema import (
    account,
    audit_entry,
    incident,
    judge_output,
    log_row,
    look,
    note,
    passkey,
    pseudonym_mark,
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
_MARKED: Final = (*CHAINED, incident)
"""Tables that grow for years: a daily run begins in them where the one before ended."""
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
    database: HistoryDatabase, pseudonyms: Pseudonyms, before_ms: int, clock: ConsoleClock, *, complete: bool = False
) -> PseudonymRun:
    """Replace the numbers of persons in everything older than `before_ms` (UTC), and record it in the audit.

    A run that is killed is continued by the next one. What is changed already is left as it is.

    Args:
        database: The store.
        pseudonyms: The pseudonyms under the house's key.
        before_ms: Instant up to which numbers are replaced.
        clock: Clock of the audit.
        complete: True: examine everything, also what an earlier run has examined. It finds numbers in texts that no one
            knew as a person's at that time.

    Raises:
        StoreError: The database failed; what was changed so far is recorded.
    """
    run = await _Run.begun(database, pseudonyms, before_ms, clock, complete=complete)
    known = await run.known()
    rows, outputs, entries = [await run.bodies(table, known) for table in CHAINED]
    return PseudonymRun(rows, outputs, entries, await run.people())


class _Run:
    """One run. Each page of rows is changed and recorded in one transaction.

    `since` has the last id that an earlier run has dealt with, by table. Rows do not arrive in the order of their
    times, so that a mark ends before the first row that is too young.
    """

    def __init__(
        self, database: HistoryDatabase, pseudonyms: Pseudonyms, before_ms: int, clock: ConsoleClock,
        since: Mapping[str, int],
    ) -> None:  # fmt: skip
        self._database, self._pseudonyms, self._before_ms, self._clock = database, pseudonyms, before_ms, clock
        self._since, self._until = since, dict[str, int]()

    @classmethod
    async def begun(
        cls, database: HistoryDatabase, pseudonyms: Pseudonyms, before_ms: int, clock: ConsoleClock, *, complete: bool
    ) -> "_Run":
        """Return a run, with the marks at which it begins and ends."""
        async with database.reading() as connection:
            stored = (await connection.execute(select(pseudonym_mark))).all()
            since = dict.fromkeys((table.name for table in _MARKED), 0)
            since |= {} if complete else {row.of: row.last_id for row in stored}
            made = cls(database, pseudonyms, before_ms, clock, since)
            for table in _MARKED:
                # Before anything is read: what arrives meanwhile is the next run's.
                made._until[table.name] = await made._mark(connection, table)
        return made

    async def _mark(self, connection: AsyncConnection, table: Table) -> int:
        beyond = table.c.id > self._since[table.name]
        if table is incident:  # until it has ended, a person may still be named in it
            young: ColumnElement[bool] = or_(incident.c.opened_ms >= self._before_ms, incident.c.ended_ms.is_(None))
        else:
            young = table.c.at_ms >= self._before_ms
        first = select(table.c.id).where(beyond, young).order_by(table.c.id).limit(1)
        found = (await connection.execute(first)).scalar_one_or_none()
        if found is not None:
            return int(found) - 1
        newest = (await connection.execute(select(func.max(table.c.id)))).scalar_one_or_none()
        return max(self._since[table.name], newest or 0)

    async def known(self) -> frozenset[bytes]:
        """Return the numbers that are persons': of accounts, and in rows that have no pseudonyms yet."""
        found: set[bytes] = set()
        async with self._database.reading() as connection:
            for table in (account, log_row, audit_entry):
                query = select(table.c.person).distinct().where(table.c.id > self._since.get(table.name, 0))
                people = (await connection.execute(query)).scalars()
                found |= {each.encode() for each in people if each and each not in _NOBODY}
        return frozenset(found)

    async def bodies(self, table: Table, known: frozenset[bytes]) -> int:
        """Change the bytes of one table; return how many rows were changed."""
        last, count = self._since[table.name], 0
        old = [table.c.at_ms < self._before_ms, table.c.pseudonymized_hash.is_(None)]
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
                await connection.execute(made.values(body=body, pseudonymized_hash=digest(body)))
            await self._record(connection, table, list(changed))

    async def people(self) -> int:
        """Change what is indexed, and accounts that were closed before; return the number of accounts.

        The marks are stored with it: a run that was killed before begins where it began.
        """
        columns = (
            (log_row, "person", log_row.c.at_ms), (audit_entry, "person", audit_entry.c.at_ms),
            (judge_output, "by", judge_output.c.at_ms), (incident, "acknowledged_by", incident.c.opened_ms),
            (incident, "ended_by", incident.c.opened_ms), (session, "ended_by", session.c.created_ms),
            (passkey, "removed_by", passkey.c.created_ms), (shelf, "person", shelf.c.started_ms),
            (shelf, "closed_by", shelf.c.started_ms), (look, "person", look.c.at_ms), (note, "person", note.c.at_ms),
        )  # fmt: skip
        async with self._database.writing() as connection:
            for table, name, at_ms in columns:
                old = at_ms < self._before_ms
                if table in _MARKED:
                    old &= table.c.id > self._since[table.name]
                await self._column(connection, table, name, old)
            before = update(session).where(session.c.created_ms < self._before_ms, session.c.address != "")
            await connection.execute(before.values(address=""))
            closed = (await connection.execute(select(account).where(account.c.closed_ms < self._before_ms))).all()
            made = [row for row in closed if not row.person.startswith(_PREFIX)]
            for row in made:
                name = self._pseudonyms.of(row.person)
                values: Mapping[str, object] = {
                    "person": name, "login": name, "name": name, "password": "", "pin": None, "subject": None,
                }  # fmt: skip
                await connection.execute(update(account).where(account.c.id == row.id).values(**values))
            await connection.execute(delete(pseudonym_mark))
            marks = [{"of": name, "last_id": last} for name, last in self._until.items()]
            await connection.execute(insert(pseudonym_mark), marks)
        return len(made)

    async def _column(self, connection: AsyncConnection, table: Table, name: str, old: ColumnElement[bool]) -> None:
        column = table.c[name]
        for person in (await connection.execute(select(column).where(old).distinct())).scalars().all():
            if person and self._pseudonyms.of(person) != person:
                changed = update(table).where(old, column == person)
                await connection.execute(changed.values({name: self._pseudonyms.of(person)}))

    async def _record(self, connection: AsyncConnection, table: Table, ids: Sequence[int]) -> None:
        content = {
            "kind": PSEUDONYMIZED, "person": "", "role": "", "of": table.name, "ids": ids,
            "content": await hashes_of(connection, table, ids),
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

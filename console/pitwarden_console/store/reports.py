"""Frozen reports: the exact bytes of each PDF with their hash, numbered in order and never changed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sqlalchemy import func, insert, select

from pitwarden_client.events.codec import digest
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import report

ReportKind = Literal["incident", "shift"]
# Reports on one page. Older ones have an address by their number.
MAX_LISTED: Final = 200


@dataclass(frozen=True, slots=True)
class FrozenReport:
    """A report without its bytes. Time in UTC ms."""

    number: int
    kind: str
    subject: str
    made_ms: int
    made_by: str
    simulated: bool
    hash: str


@dataclass(frozen=True, slots=True)
class ReportBytes:
    """The exact bytes of a report, and whether it is about simulated tables."""

    body: bytes
    simulated: bool


class ReportBook:
    """The reports in the store."""

    def __init__(self, database: HistoryDatabase) -> None:
        self._database = database
        # A number is printed in the report, so it is taken before the report is made: one at a time.
        self._turn = asyncio.Lock()

    async def freeze(
        self, kind: ReportKind, subject: str, made: Callable[[int], Awaitable[bytes]],
        *, person: str, at_ms: int, simulated: bool,
    ) -> FrozenReport:  # fmt: skip
        """Store what `made` returns for the next number.

        Raises:
            StoreError: The database failed; the number is free again.
        """
        async with self._turn:
            async with self._database.reading() as connection:
                number = ((await connection.execute(select(func.max(report.c.id)))).scalar_one() or 0) + 1
            body = await made(number)
            values = {
                "id": number, "kind": kind, "subject": subject[:500], "made_ms": at_ms, "made_by": person,
                "simulated": simulated, "hash": digest(body), "body": body,
            }  # fmt: skip
            async with self._database.writing() as connection:
                await connection.execute(insert(report).values(**values))
        return FrozenReport(number, kind, subject, at_ms, person, simulated, digest(body))

    async def newest(self) -> Sequence[FrozenReport]:
        """Return the newest reports.

        Raises:
            StoreError: The database failed.
        """
        columns = [one for one in report.c if one.name != "body"]
        async with self._database.reading() as connection:
            found = await connection.execute(select(*columns).order_by(report.c.id.desc()).limit(MAX_LISTED))
            return [FrozenReport(*row) for row in found]

    async def stored(self, number: int) -> ReportBytes | None:
        """Return a report; None when there is none with this number, or its bytes were changed.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.reading() as connection:
            query = select(report.c.body, report.c.hash, report.c.simulated).where(report.c.id == number)
            row = (await connection.execute(query)).one_or_none()
        return None if row is None or digest(row.body) != row.hash else ReportBytes(bytes(row.body), row.simulated)

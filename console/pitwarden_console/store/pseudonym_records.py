"""Records of pseudonyms: both hashes of each row whose bytes a run changed, as the audit has them.

Threat: bytes that were changed after the fact, next to a hash that fits them. Only an entry of the audit with the same
pair of hashes shows that a run made the change.
"""

import json
from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import RowMapping, Select, Table, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_client.events.codec import digest
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import audit_entry, judge_output, log_row

CHAINED: Final = (log_row, judge_output, audit_entry)
"""Tables whose rows are hash-chained, in the order in which a run changes them."""
PSEUDONYMIZED: Final = "pseudonymized"
"""Kind of the entries of the audit that record pseudonyms."""


class RecordedPseudonyms:
    """Records of one table, read from the audit when the first of them is asked for."""

    def __init__(self, connection: AsyncConnection, table: Table) -> None:
        self._connection, self._table = connection, table
        self._ranges: Sequence[tuple[int, int, int]] | None = None
        self._known: dict[int, frozenset[int]] = {}

    async def of(self, rows: Sequence[RowMapping]) -> frozenset[int]:
        """Return the ids of those `rows` whose pair of hashes is as an entry of the audit has it."""
        wanted = [row["id"] for row in rows if row["pseudonymized_hash"] is not None]
        if not wanted:
            return frozenset()
        if self._ranges is None:
            self._ranges = await self._read_ranges()
        found = set[int]()
        for first, last, entry in self._ranges:
            if first <= wanted[-1] and wanted[0] <= last:
                found |= await self._confirmed(entry)
        return frozenset(found.intersection(wanted))

    async def _read_ranges(self) -> Sequence[tuple[int, int, int]]:
        # Only the ends of each entry are kept: a property has millions of changed rows.
        made = []
        for row in (await self._connection.execute(_entries())).all():
            content = json.loads(row.body)
            if content["of"] == self._table.name and content["ids"]:
                made.append((min(content["ids"]), max(content["ids"]), row.id))
        return made

    async def _confirmed(self, entry: int) -> frozenset[int]:
        """Return the ids that an entry names, if both hashes of each are as it has them."""
        if entry not in self._known:
            row = (await self._connection.execute(_entries().where(audit_entry.c.id == entry))).one()
            content = json.loads(row.body)
            fits = digest(row.body) == row.hash
            fits = fits and await hashes_of(self._connection, self._table, content["ids"]) == content["content"]
            # A check follows the ids: the newest entry serves the next page.
            self._known = {entry: frozenset(content["ids"]) if fits else frozenset()}
        return self._known[entry]


async def hashes_of(connection: AsyncConnection, table: Table, ids: Collection[int]) -> str:
    """Return one digest over both hashes of rows."""
    query = select(table.c.id, table.c.hash, table.c.pseudonymized_hash).where(table.c.id.in_(ids)).order_by(table.c.id)
    lines = [f"{row.id} {row.hash} {row.pseudonymized_hash}\n" for row in await connection.execute(query)]
    return digest("".join(lines).encode())


async def pseudonyms_as_recorded(database: HistoryDatabase) -> tuple[int, bool]:
    """Return how many rows, outputs and entries have pseudonyms, and whether each is as the audit recorded it.

    Raises:
        StoreError: The database failed.
    """
    recorded, count, intact = 0, 0, True
    async with database.reading() as connection:
        for row in (await connection.execute(_entries())).all():
            entry = json.loads(row.body)
            table = next(one for one in CHAINED if one.name == entry["of"])
            recorded += len(entry["ids"])
            intact = intact and await hashes_of(connection, table, entry["ids"]) == entry["content"]
        for table in CHAINED:
            changed = select(func.count()).select_from(table).where(table.c.pseudonymized_hash.is_not(None))
            count += (await connection.execute(changed)).scalar_one()
    return count, intact and count == recorded


def _entries() -> Select[tuple[int, str, bytes]]:
    columns = (audit_entry.c.id, audit_entry.c.hash, audit_entry.c.body)
    return select(*columns).where(audit_entry.c.kind == PSEUDONYMIZED).order_by(audit_entry.c.id)

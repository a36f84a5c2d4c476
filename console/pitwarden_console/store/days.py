"""Rows and rounds of a table on each gaming day, counted in the transaction that stores the rows."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_console.store.records import Values
from pitwarden_console.store.schema import table_day

ROUND_END: Final = "kp.round_end"


async def count_days(connection: AsyncConnection, table_id: int, rows: Sequence[Values]) -> None:
    """Add `rows`, the columns of stored rows of the log, to the days that they belong to."""
    days: dict[tuple[date, bool], list[Values]] = {}
    for row in rows:
        day = row["day"]
        if isinstance(day, date):
            days.setdefault((day, bool(row["simulated"])), []).append(row)
    for (day, simulated), found in days.items():
        times = [at_ms for row in found if isinstance(at_ms := row["at_ms"], int)]
        rounds = sum(row["kind"] == ROUND_END for row in found)
        where = (table_day.c.table_id == table_id, table_day.c.day == day, table_day.c.simulated.is_(simulated))
        known = (await connection.execute(select(table_day).where(*where))).mappings().one_or_none()
        if known is None:
            values = {
                "table_id": table_id, "day": day, "simulated": simulated, "rows": len(found), "rounds": rounds,
                "first_ms": min(times), "last_ms": max(times),
            }  # fmt: skip
            await connection.execute(insert(table_day).values(**values))
        else:
            added = {
                "rows": known["rows"] + len(found), "rounds": known["rounds"] + rounds,
                "first_ms": min(known["first_ms"], *times), "last_ms": max(known["last_ms"], *times),
            }  # fmt: skip
            await connection.execute(update(table_day).where(*where).values(**added))

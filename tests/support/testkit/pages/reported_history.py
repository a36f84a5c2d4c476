"""A history for reports: a simulated night as a table published it, and real irregularities of two months."""

from dataclasses import replace
from datetime import date
from typing import Final

from sqlalchemy import insert

from pitwarden_client import Item
from pitwarden_client.events.base import Position
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.incidents import Incident
from pitwarden_console.store.projection import insert_incidents
from pitwarden_console.store.schema import gaming_table, table_day
from testkit.pages.stored_tables import HARBOR, night_items, store_night

SIMULATED: Final = "tab-shielded"
MARCH: Final = date(2026, 3, 2)
"""Gaming day of the simulated night, and of the first real irregularities."""
APRIL: Final = date(2026, 4, 2)
PERSON: Final = "E-4711"
SENTENCE: Final = "A sentence for the floor."
MARCH_MS: Final = HARBOR.day_range_ms(MARCH)[0]
HOUR_MS: Final = 3_600_000
_APRIL_MS = HARBOR.day_range_ms(APRIL)[0]

ENDED: Final = Incident(
    "ended", "irregularity", "TAB-37", ("13:69F-36.14(b)",), ("DESTROY", "HOLD"), 1, "cleared", "floorperson", SENTENCE,
    MARCH_MS + HOUR_MS, Position(epoch="e", number=1), simulated=False, last_output=1, round=7,
    acknowledged_ms=MARCH_MS + HOUR_MS + 20_999, acknowledged_by=PERSON, ended_ms=MARCH_MS + HOUR_MS + 150_123,
    ended_by=PERSON,
)  # fmt: skip
_OPEN = replace(
    ENDED, ref="open", catalogue="CB-14", clauses=("13:69F-51.7(e)", "13:69F-51.8"), verdicts=("HOLD",), status="open",
    device="shoe", acknowledged_ms=None, acknowledged_by=None, ended_ms=None, ended_by=None,
)  # fmt: skip
_UNSEEN = replace(_OPEN, ref="unseen", clauses=(), priority=3, status="cleared", ended_ms=_OPEN.opened_ms + 45_000)
_REFUTED = replace(
    ENDED, ref="refuted", status="refuted", device="reader", opened_ms=_APRIL_MS, acknowledged_ms=_APRIL_MS + 4_000,
    ended_ms=_APRIL_MS + 90_500,
)  # fmt: skip
_LATE = replace(
    ENDED, ref="late", kind="duty", catalogue="CB-20", verdicts=(), priority=2, status="done",
    overdue_ms=MARCH_MS + 2 * HOUR_MS, ended_ms=MARCH_MS + 3 * HOUR_MS, acknowledged_ms=None, acknowledged_by=None,
)  # fmt: skip
MADE: Final = {
    "bj-1": (ENDED, _OPEN, _UNSEEN, _LATE, replace(_LATE, ref="in time", overdue_ms=None)),
    "bj-2": (_REFUTED, replace(_LATE, ref="overdue", status="overdue", ended_ms=None, ended_by=None)),
}
"""Real irregularities and duties, by table."""
_ROUNDS = {("bj-1", MARCH): 300, ("bj-2", MARCH): 100, ("bj-1", APRIL): 0}


def simulated_night() -> tuple[Item, ...]:
    """Return the night, played where no loop runs."""
    return night_items(SIMULATED, "2", 2, "stray_ten")


async def store_reported_history(url: str, night: tuple[Item, ...]) -> None:
    """Store the night and what is made."""
    await store_night(url, SIMULATED, night)
    async with open_database(url) as database:
        await _store_made(database)


async def _store_made(database: HistoryDatabase) -> None:
    async with database.writing() as connection:
        for number, (name, made) in enumerate(MADE.items(), 11):
            await connection.execute(insert(gaming_table).values(id=number, site="harbor", name=name))
            await insert_incidents(connection, number, made, HARBOR)
            for (table, day), rounds in _ROUNDS.items():
                counted = {"day": day, "rounds": rounds, "rows": 9 * rounds, "simulated": False}
                if table == name:
                    row = insert(table_day).values(table_id=number, **counted, first_ms=MARCH_MS, last_ms=MARCH_MS)
                    await connection.execute(row)

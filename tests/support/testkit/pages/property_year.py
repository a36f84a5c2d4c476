"""A year of a property in a console's store: incidents, acts, calls and rounds of each day, and rows of the last week.

It is made, not played: columns have the spread of real ones, and bodies of rows have their size. So it shows how long
questions take, and nothing about rules.
"""

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Table, insert, select, text

from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import audit_entry, call, gaming_table, incident, judge_output, log_row, table_day

_CATALOGUE = (
    ("TAB-37", "13:69F-36.14(b)", "HOLD\nDESTROY", 1), ("CB-14", "13:69F-51.7(e)", "HOLD", 1),
    ("TAB-13", "13:69F-36.5(a)", "ALERT", 3), ("TAB-21", "13:69F-36.9(c)", "SHUFFLE", 2),
    ("DEV-02", "house", "DEV_OUT", 2), ("TAB-44", "13:69F-36.14(i)", "OPTION", 3),
)  # fmt: skip
_CHUNK = 5_000
_HASH = "0" * 64
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class YearSize:
    """Size of a year. The default is a property of 100 tables; rows are of the last week."""

    tables: int = 100
    days: int = 365
    incidents_a_day: int = 2_000
    acts_a_day: int = 500
    row_days: int = 7
    rows_a_table_day: int = 1_000


@dataclass(frozen=True, slots=True)
class MadeYear:
    """What was made: the first and the last day, and the instant at which the last day begins (UTC, ms)."""

    first: date
    last: date
    last_ms: int
    table: str
    """Table of the incident `i1-1`."""


async def make_year(database: HistoryDatabase, size: YearSize, seed: int = 1) -> MadeYear:
    """Write a year that ends on 2026-11-30, and return its days."""
    chance = random.Random(seed)  # noqa: S311  no secret
    last = date(2026, 11, 30)
    first = last - timedelta(days=size.days - 1)
    tables = [{"id": number, "site": "harbor", "name": f"t{number:03d}"} for number in range(1, size.tables + 1)]
    await _written(database, gaming_table, iter(tables))
    for table, rows in (
        (incident, _incidents(chance, first, size)), (audit_entry, _acts(chance, first, size)),
        (call, _calls(chance, first, size)), (table_day, _days(first, size)),
        (log_row, _rows(chance, last, size)), (judge_output, _outputs(chance, last, size)),
    ):  # fmt: skip
        await _written(database, table, rows)
    async with database.writing() as connection:
        await connection.execute(text("ANALYZE"))
    async with database.reading() as connection:
        known = select(gaming_table.c.name).join(incident, incident.c.table_id == gaming_table.c.id)
        table_name = (await connection.execute(known.where(incident.c.ref == "i1-1"))).scalar_one()
    return MadeYear(first, last, _starts_ms(last), table_name)


def _starts_ms(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, 11, tzinfo=UTC).timestamp() * 1_000)


async def _written(database: HistoryDatabase, table: Table, rows: Iterator[Mapping[str, object]]) -> None:
    chunk: list[Mapping[str, object]] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == _CHUNK:
            async with database.writing() as connection:
                await connection.execute(insert(table), chunk)
            chunk = []
    if chunk:
        async with database.writing() as connection:
            await connection.execute(insert(table), chunk)


def _incidents(chance: random.Random, first: date, size: YearSize) -> Iterator[Mapping[str, object]]:
    for offset in range(size.days):
        day = first + timedelta(days=offset)
        for number in range(size.incidents_a_day):
            catalogue, clause, verdicts, priority = chance.choice(_CATALOGUE)
            opened = _starts_ms(day) + chance.randrange(_DAY_MS - 4_000_000)
            is_open = offset == size.days - 1 and chance.random() < 0.02
            seen = opened + int(chance.expovariate(1 / 20_000)) if chance.random() < 0.6 else None
            ended = None if is_open else opened + int(chance.expovariate(1 / 180_000)) + 40_000
            ended_by = None if ended is None or chance.random() < 0.5 else f"f{chance.randrange(80)}"
            yield {
                "unseen": ended is not None and seen is None and ended_by is None and chance.random() < 0.1,
                "table_id": chance.randrange(size.tables) + 1, "ref": f"i{offset}-{number}", "kind": "irregularity",
                "catalogue": catalogue, "clauses": clause, "verdicts": verdicts, "priority": priority,
                "status": "open" if is_open else "refuted" if chance.random() < 0.05 else "cleared",
                "actor": "floorperson", "sentence": "A sentence of about the usual length for the floor.", "day": day,
                "opened_ms": opened, "opened_epoch": "e1", "opened_row": number, "acknowledged_ms": seen,
                "acknowledged_by": None if seen is None else f"f{chance.randrange(80)}", "ended_ms": ended,
                "ended_by": ended_by,
                "round": number, "deck": "A", "device": "shoe" if catalogue == "DEV-02" else None, "box": None,
                "simulated": False, "last_output": number,
            }  # fmt: skip


def _acts(chance: random.Random, first: date, size: YearSize) -> Iterator[Mapping[str, object]]:
    for offset in range(size.days):
        starts = _starts_ms(first + timedelta(days=offset))
        for number in range(size.acts_a_day):
            person, at_ms = f"f{chance.randrange(80)}", starts + number * 1_000
            for kind in ("act", "answer"):
                body = json.dumps({"at_ms": at_ms, "kind": kind, "person": person, "role": "floor"}).encode()
                yield {
                    "at_ms": at_ms, "kind": kind, "person": person, "input_id": f"{offset:04d}{number:06d}",
                    "hash": _HASH, "body": body,
                }  # fmt: skip


def _calls(chance: random.Random, first: date, size: YearSize) -> Iterator[Mapping[str, object]]:
    for offset in range(size.days):
        for number in range(size.incidents_a_day // 50):
            at_ms = _starts_ms(first + timedelta(days=offset)) + number * 60_000
            yield {
                "table_id": chance.randrange(size.tables) + 1, "ref": f"i{offset}-{number}", "step": 0,
                "recipient": "pit-manager", "title": "Priority 1", "at_ms": at_ms, "answered_ms": at_ms + 900,
                "delivered": True, "reason": "",
            }  # fmt: skip


def _days(first: date, size: YearSize) -> Iterator[Mapping[str, object]]:
    for offset in range(size.days):
        day = first + timedelta(days=offset)
        for table in range(1, size.tables + 1):
            yield {
                "table_id": table, "day": day, "simulated": False, "rows": 43_000, "rounds": 1_200,
                "first_ms": _starts_ms(day), "last_ms": _starts_ms(day) + _DAY_MS - 1,
            }  # fmt: skip


def _record(chance: random.Random, day: date, table: int, number: int) -> dict[str, object]:
    return {
        "table_id": table, "epoch": "e1", "number": number, "day": day, "received_ms": 0, "simulated": False,
        "at_ms": _starts_ms(day) + (number % 40_000) * 2_000, "hash": _HASH, "prevhash": _HASH,
        "body": chance.randbytes(350),
    }  # fmt: skip


def _rows(chance: random.Random, last: date, size: YearSize) -> Iterator[Mapping[str, object]]:
    kinds = ("shoe.card", "kp.hit", "kp.round_end", "ack", "override")
    for table in range(1, size.tables + 1):
        for number in range(size.row_days * size.rows_a_table_day):
            day = last - timedelta(days=size.row_days - 1 - number // size.rows_a_table_day)
            kind = chance.choices(kinds, (60, 30, 9, 0.9, 0.1))[0]
            person = f"f{chance.randrange(80)}" if kind in {"ack", "override"} else None
            yield {
                **_record(chance, day, table, number),
                "log_ms": number,
                "kind": kind,
                "source": "shoe",
                "person": person,
            }


def _outputs(chance: random.Random, last: date, size: YearSize) -> Iterator[Mapping[str, object]]:
    for table in range(1, size.tables + 1):
        for number in range(size.row_days * size.rows_a_table_day // 2):
            day = last - timedelta(days=size.row_days - 1 - number * 2 // size.rows_a_table_day)
            yield {
                **_record(chance, day, table, number), "chain": 0, "row": number, "kind": "irregularity",
                "ref": f"r{number // 3}", "catalogue": "TAB-37", "status": "open", "by": None,
                "rules_version": "0.3", "profile_digest": _HASH, "proved": None,
            }  # fmt: skip

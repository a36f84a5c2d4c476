"""Check of a stored chain: each body against its hash, each row against the one before it, from the bytes alone.

Threat: a store that was changed after the fact. The check uses the bytes, and of the columns only the
hash that was computed when they arrived. Bytes with pseudonyms count as those only where the audit recorded the change.
"""

import asyncio
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from sqlalchemy import RowMapping, Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_client.events.codec import digest
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.pseudonym_records import RecordedPseudonyms
from pitwarden_console.store.schema import chain_break, judge_output, log_row

# Rows read at once while a chain is checked, which bounds what is in memory.
_PAGE: Final = 2_000
MAX_FAULTS: Final = 20
"""Number of faults that are listed: one is enough to know that a record was changed."""

ChainName = Literal["log", "outputs"]


@dataclass(slots=True)
class ChainReport:
    """Result of a check: how many were checked, from which to which, the last hash, and what is wrong.

    `pseudonymized` counts those in which numbers of persons were replaced, each with both hashes in the audit.
    """

    chain: ChainName
    count: int = 0
    first: str = ""
    last: str = ""
    head: str = ""
    pseudonymized: int = 0
    faults: list[str] = field(default_factory=list)
    breaks: Sequence[str] = ()

    @property
    def is_intact(self) -> bool:
        """True if every body has its hash and follows the one before it."""
        return not self.faults


async def check_chains(database: HistoryDatabase, table_id: int, first: date, last: date) -> Sequence[ChainReport]:
    """Return the reports on a table's log and outputs of some gaming days.

    Raises:
        StoreError: The database failed.
    """
    async with database.reading() as connection:
        days = (log_row.c.day >= first, log_row.c.day <= last)
        log = await _checked(connection, "log", select(log_row).where(log_row.c.table_id == table_id, *days))
        days = (judge_output.c.day >= first, judge_output.c.day <= last)
        said = select(judge_output).where(judge_output.c.table_id == table_id, *days)
        outputs = await _checked(connection, "outputs", said)
        known = select(chain_break).where(chain_break.c.table_id == table_id).order_by(chain_break.c.id)
        breaks = (await connection.execute(known)).mappings().all()
    for report in (log, outputs):
        report.breaks = [row["reason"] for row in breaks if row["chain"] == report.chain]
    return (log, outputs)


def check_rows(
    report: ChainReport, rows: Sequence[RowMapping], before: Mapping[str, object], recorded: Collection[int] = ()
) -> Mapping[str, object]:
    """Add `rows` to `report`; return what the next ones have to follow: `chain`, `number` and `hash`.

    `recorded` are the ids of the rows whose pseudonyms the audit has recorded.
    """
    for row in rows:
        outline: dict[str, object] = json.loads(row["body"])
        number = outline.get("tableseq" if report.chain == "log" else "outputseq")
        chain = row["epoch"] if report.chain == "log" else row["chain"]
        place = f"{outline.get('epoch')}/{number}" if report.chain == "log" else f"output {number}"
        own = digest(row["body"])
        if row["id"] in recorded and own == row["pseudonymized_hash"]:
            # Numbers of persons were replaced: its successor names the hash with which it arrived.
            own, report.pseudonymized = row["hash"], report.pseudonymized + 1
        for fault in _faults(report.chain, row, outline, own, {**before, "same": before.get("chain") == chain}):
            if len(report.faults) < MAX_FAULTS:
                report.faults.append(f"{place}: {fault}")
        report.first = report.first or place
        report.count, report.last, report.head = report.count + 1, place, own
        before = {"chain": chain, "number": number, "hash": own}
    return before


def _faults(
    chain: ChainName, row: RowMapping, outline: Mapping[str, object], own: str, before: Mapping[str, object]
) -> Iterator[str]:
    if own != row["hash"]:
        unrecorded = row["pseudonymized_hash"] is not None
        yield "its bytes are not those that arrived" + (", as no entry of the audit records" if unrecorded else "")
    number, known = outline.get("tableseq" if chain == "log" else "outputseq"), before.get("number")
    if before["same"] and isinstance(known, int):
        if number != known + 1:
            yield f"it follows {known}"
        elif outline.get("prevhash") != before["hash"]:
            yield "it names another predecessor"
    elif chain == "log" and "hash" in before and outline.get("prevhash") != before["hash"]:
        yield "its epoch does not continue the stored log"


async def _checked(connection: AsyncConnection, chain: ChainName, query: Select[tuple[object, ...]]) -> ChainReport:
    table = log_row if chain == "log" else judge_output
    report, before, last = ChainReport(chain), dict[str, object](), 0
    records = RecordedPseudonyms(connection, table)
    while True:
        page = query.where(table.c.id > last).order_by(table.c.id).limit(_PAGE)
        rows = (await connection.execute(page)).mappings().all()
        if not rows:
            return report
        last = rows[-1]["id"]
        # In a thread: a day has tens of megabytes, and beats must not wait for it.
        before = dict(await asyncio.to_thread(check_rows, report, rows, before, await records.of(rows)))

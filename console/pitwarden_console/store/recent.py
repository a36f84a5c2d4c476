"""The newest part of a table's history, from which a page knows the round in play after a restart of the console."""

from typing import Final, TypeVar

from sqlalchemy import select

from pitwarden_client.events.base import Record
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_console.activity import TableActivity
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import judge_output, log_row

M = TypeVar("M", bound=Record)

ROWS: Final = 2_000  # some fifty rounds, and more than one deck's time between two stub counts


async def restore_activity(database: HistoryDatabase, table_id: int) -> TableActivity:
    """Return the activity of a table as its newest stored rows and outputs leave it.

    Raises:
        StoreError: The database failed.
    """
    async with database.reading() as connection:
        rows = await connection.execute(
            select(log_row.c.body).where(log_row.c.table_id == table_id).order_by(log_row.c.id.desc()).limit(ROWS)
        )
        events = [event for (body,) in reversed(rows.all()) if (event := _decoded(LogEvent, body)) is not None]
        outputs = await connection.execute(
            select(judge_output.c.body)
            .where(judge_output.c.table_id == table_id)
            .order_by(judge_output.c.id.desc())
            .limit(ROWS)
        )
        caused: dict[tuple[str, int], list[OutputEvent]] = {}
        for (body,) in reversed(outputs.all()):
            output = _decoded(OutputEvent, body)
            if output is not None:
                caused.setdefault((output.epoch, output.tableseq), []).append(output)
    activity = TableActivity()
    for event in events:
        activity.row(event)
        for output in caused.get((event.epoch, event.tableseq), ()):
            activity.output(output)
    return activity


def _decoded(model: type[M], body: bytes) -> M | None:
    try:
        return decode(model, body)
    except BadPayloadError:
        return None

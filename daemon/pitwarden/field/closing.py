"""The end of a field half's run: what came is committed, and the log is signed as closed."""

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from pitwarden.field.checkpoints import Checkpoints
from pitwarden.field.log import TableLog
from pitwarden.journal.errors import REFUSALS
from pitwarden.journal.field_journal import FieldJournal

DRAIN_S: Final = 2.0

_log = structlog.get_logger()


async def drained(log: TableLog) -> None:
    """Returns once all that was offered is committed, or when waiting longer would keep the machine from stopping."""
    try:
        async with asyncio.timeout(DRAIN_S):
            await log.idle()
    except TimeoutError:
        _log.warning("stopping with rows not committed; their devices keep them")


async def close_log(journal: FieldJournal, checkpoints: Checkpoints, judge: str, stored: int) -> None:
    """Signs that nothing follows in this epoch: whatever is appended later shows. `judge` has `stored` so much."""
    await journal.idle()  # a commit that was under way when its task was cancelled still lands
    if journal.head is not None:
        closed = checkpoints.sign(journal.place, journal.head, "closed")
        with suppress(*REFUSALS):
            await journal.set_position(judge, stored, closed)

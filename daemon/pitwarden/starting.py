"""A service starts: a long log is judged again before it is ready. The adversary is whoever takes that for a hang."""

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Final, TypeVar

from pitwarden.notify import Notifier

SAY_S: Final = 10.0
GRANTED_S: Final = 60.0
"""How much longer the manager is asked to wait, each time that rows were folded since it was last asked."""

T = TypeVar("T")


class Folded:
    """How many rows were folded so far."""

    def __init__(self) -> None:
        self.rows = 0

    def one(self) -> None:
        """One row more."""
        self.rows += 1


async def started(
    building: Coroutine[object, object, T], stop: asyncio.Event, notifier: Notifier, folded: Folded
) -> T | None:
    """What `building` makes; None, and `building` is cancelled, when `stop` is set before that.

    The manager is asked for more patience only while rows are folded: a start that hangs ends as it would without.
    """
    made, asked = asyncio.create_task(building, name="start"), asyncio.create_task(stop.wait(), name="asked to stop")
    said = 0
    try:
        while not made.done() and not asked.done():
            await asyncio.wait({made, asked}, timeout=SAY_S, return_when=asyncio.FIRST_COMPLETED)
            if folded.rows > said:
                said = folded.rows
                notifier.starting(f"starting: {said} rows of the log are judged again so far", GRANTED_S)
        return made.result() if made.done() else None
    finally:
        asked.cancel()
        made.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await made

"""A judge starts: it judges again what its journal holds, minutes of rows after an upgrade of the rules.

The adversary is whoever takes that for a hang, or a hang for that; and the field half that waits for it.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import TypeVar

import structlog

from pitwarden.bus.link import Link
from pitwarden.journal.errors import JournalError
from pitwarden.judge.half import JudgeHalf
from pitwarden.seal.errors import KeyFileError
from pitwarden.system.tasks import Probe

_log = structlog.get_logger()

T = TypeVar("T")


class RecoveryProgress:
    """How far a judge that starts has come."""

    def __init__(self) -> None:
        self.rows = 0

    def count_row(self) -> None:
        """One row more was judged again."""
        self.rows += 1

    def probe(self) -> Probe:
        """What a watchdog has to see: row after row."""
        return Probe("judge fold", lambda: self.rows, lambda: None)

    def status_line(self) -> str:
        """One line for a person."""
        return f"NOT JUDGED YET: the judge folds its journal, rows so far: {self.rows}"


class DeferredJudge:
    """A judge that folds beside a field half that works already, and judges with it from then on."""

    def __init__(
        self,
        fold: Callable[[Callable[[], None]], Coroutine[object, object, JudgeHalf]],
        joins: Callable[[Link], None],
        failed: Callable[[JournalError | KeyFileError], None],
    ) -> None:
        """`fold` makes the half and calls what it is given for each row; `joins` hears its link, `failed` why not."""
        self._make, self._joins, self._failed = fold, joins, failed
        self._fold = RecoveryProgress()
        self._half: JudgeHalf | None = None

    def probes(self) -> list[Probe]:
        """What a watchdog has to see working."""
        return [self._fold.probe()] if self._half is None else self._half.probes()

    def status_line(self) -> str:
        """One line for a person."""
        return self._fold.status_line() if self._half is None else self._half.status_line()

    async def run(self, stop: asyncio.Event) -> None:
        """Folds, then judges, until `stop` is set; a fold that fails is said to `failed` and ends the run."""
        try:
            half = await cancel_on_stop(self._make(self._fold.count_row), stop)
        except (JournalError, KeyFileError) as fault:
            self._failed(fault)
            return
        if half is not None:
            _log.info("judge folded", rows=self._fold.rows)
            self._half = half
            self._joins(half.link)
            await half.run(stop)


async def cancel_on_stop(making: Coroutine[object, object, T], stop: asyncio.Event) -> T | None:
    """What `making` makes; None, and `making` is cancelled, when `stop` is set before that."""
    made, asked = asyncio.create_task(making, name="start"), asyncio.create_task(stop.wait(), name="asked to stop")
    try:
        await asyncio.wait({made, asked}, return_when=asyncio.FIRST_COMPLETED)
        return made.result() if made.done() else None
    finally:
        asked.cancel()
        made.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await made

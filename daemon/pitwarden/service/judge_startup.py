"""Start of a judge that recovers its state while the field half already runs.

After an upgrade of the rules, evaluating the journal again takes minutes. Threat: an operator or a watchdog that takes
the recovery for a hang, or a hang for the recovery.
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
    """Progress of a judge's recovery."""

    def __init__(self) -> None:
        self.rows = 0

    def count_row(self) -> None:
        """Count a row that was evaluated again."""
        self.rows += 1

    def probe(self) -> Probe:
        """Return the watchdog's probe: each row is progress."""
        return Probe("judge fold", lambda: self.rows, lambda: None)

    def status_line(self) -> str:
        """Return one line for a person."""
        return f"NOT JUDGED YET: the judge folds its journal, rows so far: {self.rows}"


class DeferredJudge:
    """Judge that recovers next to a running field half, and works with it afterwards."""

    def __init__(
        self,
        fold: Callable[[Callable[[], None]], Coroutine[object, object, JudgeHalf]],
        joins: Callable[[Link], None],
        failed: Callable[[JournalError | KeyFileError], None],
    ) -> None:
        """Prepare the recovery.

        Args:
            fold: Builds the half; calls its argument for each row evaluated again.
            joins: Receives the link of the recovered half.
            failed: Receives the error of a failed recovery.
        """
        self._make, self._joins, self._failed = fold, joins, failed
        self._fold = RecoveryProgress()
        self._half: JudgeHalf | None = None

    def probes(self) -> list[Probe]:
        """Return the probes for the watchdog."""
        return [self._fold.probe()] if self._half is None else self._half.probes()

    def status_line(self) -> str:
        """Return one line for a person."""
        return self._fold.status_line() if self._half is None else self._half.status_line()

    async def run(self, stop: asyncio.Event) -> None:
        """Recover, then judge until `stop` is set. A failed recovery is reported to `failed` and ends the run."""
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
    """Return the result of `making`; None, with `making` cancelled, when `stop` is set before it ends."""
    made, asked = asyncio.create_task(making, name="start"), asyncio.create_task(stop.wait(), name="asked to stop")
    try:
        await asyncio.wait({made, asked}, return_when=asyncio.FIRST_COMPLETED)
        return made.result() if made.done() else None
    finally:
        asked.cancel()
        made.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await made

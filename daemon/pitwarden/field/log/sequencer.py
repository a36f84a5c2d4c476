"""Sequencer of a table's log: it assigns numbers and commits, and only then lets a row leave.

A row is numbered and on its way to the disk when `offer` returns. Rows that arrive while the disk is busy share the
next commit. Threat: a full disk. While the journal refuses rows, no further row is numbered, no device is acknowledged,
and the numbered rows are retried unchanged. A disk reserve leaves room to log the fault itself.
"""

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Never, Protocol

import structlog

from pitwarden.field.log.row_builder import BuiltRow, PendingRow, Plain, RowBuilder
from pitwarden.journal.errors import TEMPORARY_ERRORS, JournalFullError, JournalOrderError
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.system.tasks import WakeableLoop
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import LogFault

if TYPE_CHECKING:
    from pitwarden.journal.records import NewRow

# Rows that wait for their number: an hour of a table at one card a second. Beyond it `offer` returns False, and a
# device repeats what was not acknowledged.
QUEUE_ROWS: Final = 4_096
# Rows of one transaction, so that a backlog does not delay the row in front of it.
BATCH_ROWS: Final = 200
# Seconds between two attempts while the journal refuses rows: dealing resumes within a second of the repair.
RETRY_S: Final = 0.25
OWN: Final = "table"
"""Source segment of the rows that the field half itself originates."""

_log = structlog.get_logger()


class LogFollower(Protocol):
    """Component that depends on the log. Its methods are called in the event loop and must not block."""

    def logged(self, row: LogEvent, waited_ms: int, now_ms: int) -> None:
        """Handle a committed row, which waited `waited_ms` for its commit; `now_ms` is log time."""
        ...

    def log_idle(self) -> None:
        """Handle that no row waits any more, after an offer was refused."""
        ...

    def log_faults(self, names: tuple[str, ...]) -> None:
        """Handle a change of the journal's faults; `names` are all that there are now."""
        ...


class OfferFollower(Protocol):
    """Component that depends on what is offered to the log, before its commit."""

    def offered(self, content: Plain, *, taken: bool) -> None:
        """Handle content that was offered; where it was `taken`, its row waits for its commit."""
        ...


class _Unfollowed:
    """Follower of a log on which nothing depends."""

    def offered(self, content: Plain, *, taken: bool) -> None:
        """Do nothing."""

    def logged(self, row: LogEvent, waited_ms: int, now_ms: int) -> None:
        """Do nothing."""

    def log_idle(self) -> None:
        """Do nothing."""

    def log_faults(self, names: tuple[str, ...]) -> None:
        """Do nothing."""


class LogSequencer(WakeableLoop):
    """Sequencer of one epoch."""

    def __init__(self, journal: FieldJournal, rows: RowBuilder) -> None:
        super().__init__()
        self._journal, self._rows, self._time = journal, rows, rows.time
        self.newest = 0
        """Number of the newest committed row of the epoch; 0 before the first."""
        self.follower: LogFollower = _Unfollowed()
        """Set by the assembly before `run`, since most followers of the log also offer rows to it."""
        self.offers: OfferFollower = _Unfollowed()
        """Set by the assembly too."""
        self._queue: deque[tuple[int | None, PendingRow]] = deque()
        """Waiting items, each with the log time in ms of its offer; None for one that is numbered at once."""
        self._under_way: list[tuple[int | None, BuiltRow]] = []
        self._running = False
        self._failed: Exception | None = None
        self._idle = asyncio.Event()
        self._lost = 0
        self._refused = False

    def offer(self, pending: PendingRow) -> bool:
        """Enqueue one item for the log; return False when the queue is full.

        Items that their source cannot repeat are then counted and reported as `log.fault`. Before `run` starts, all
        items wait.
        """
        if len(self._queue) >= QUEUE_ROWS:
            repeatable = pending.counter > 0 or isinstance(pending.content, InputLogged)
            self._lost += 0 if repeatable else 1
            self._refused = True
            self.offers.offered(pending.content, taken=False)
            return False
        waits = self._queue or self._under_way or not self._running
        self._queue.append((self._time.log_ms() if waits else None, pending))
        self.offers.offered(pending.content, taken=True)
        self._commit_next()
        return True

    @property
    def waiting(self) -> int:
        """Number of items that wait for their number."""
        return len(self._queue)

    def report_fault(self, fault: LogFault) -> None:
        """Enqueue a fault of the field half in front of all waiting items."""
        self._queue.appendleft((self._time.log_ms(), PendingRow(OWN, fault)))
        self._commit_next()

    async def run(self) -> Never:
        """Commit what is offered, until cancelled; from then on no row is numbered."""
        self._running = True
        try:
            self._commit_next()
            await super().run()
        finally:
            self._running = False

    async def _turn(self) -> None:
        failed, self._failed = self._failed, None
        if failed is not None:
            await self._retry_until_committed(failed)
        # An empty commit passes through the journal's thread, so that the watchdog sees whether the disk answers.
        # `_commit_ended` handles the failure of rows.
        with suppress(*TEMPORARY_ERRORS, JournalOrderError):
            await self._journal.commit(())

    async def idle(self) -> None:
        """Return once all offered rows are committed. Until the caller waits again, no other row gets a number."""
        while not self._idle.is_set():
            await self._idle.wait()

    def _commit_next(self) -> None:
        """Commit waiting items in one transaction, up to BATCH_ROWS, unless a commit is in progress."""
        if not self._running or self._under_way:
            return
        if self._lost:
            fault = LogFault(fault="queue_overflow", detail="more arrived than could be logged", lost=self._lost)
            self._queue.append((self._time.log_ms(), PendingRow(OWN, fault)))
            self._lost = 0
        if not self._queue:
            self._idle.set()
            if self._refused:
                self._refused = False
                self.follower.log_idle()
            return
        self._idle.clear()
        rows: list[NewRow] = []
        for _ in range(min(len(self._queue), BATCH_ROWS)):
            offered, pending = self._queue.popleft()
            row = self._rows.build(pending)
            self._under_way.append((offered, row))
            rows.append(row.stored)
        self._journal.commits.commit_nowait(rows, self._commit_ended, len(rows))

    def _commit_ended(self, error: Exception | None) -> None:
        """Handle the end of a commit, in the event loop: dispatch the rows, or leave the error to `run`."""
        if not self._running:
            return
        try:
            if error is None:
                self._dispatch()
        except Exception as bug:  # noqa: BLE001  the loop would only report it; `run` raises it
            error = bug
        if error is not None:
            self._failed = error
            self.wake()

    def _dispatch(self) -> None:
        now = self._time.log_ms()
        for offered, row in self._under_way:
            self.newest = row.event.tableseq
            if row.pending.done is not None:
                row.pending.done(row.event)
            since = row.event.logms if offered is None else offered
            self.follower.logged(row.event, now - since, now)
        self._under_way = []
        self._commit_next()

    async def _retry_until_committed(self, error: Exception) -> None:
        """Retry the pending rows until they are committed and, after a full disk, the reserve is allocated again.

        Raises:
            Exception: The error is not a temporary one of the journal, so it is a bug.
        """
        if not isinstance(error, TEMPORARY_ERRORS):
            raise error
        rows = [row.stored for _, row in self._under_way]
        full = isinstance(error, JournalFullError)
        name = "journal_full" if full else "journal_refuses"
        _log.error("journal takes nothing", reason=str(error))
        self.follower.log_faults((name,))
        if full:
            await self._journal.reserve.release()
        committed = False
        while True:
            try:
                if not committed:
                    await self._journal.commit(rows)
                    committed = True
                if not full or await self._journal.reserve.allocate():
                    break
            except TEMPORARY_ERRORS:
                pass
            self.progress += 1
            await asyncio.sleep(RETRY_S)
        _log.info("journal takes rows again")
        self.follower.log_faults(())
        if full:
            self.report_fault(LogFault(fault="journal_full", detail="the journal had no room; nothing was lost"))
        self._dispatch()

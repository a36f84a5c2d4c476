"""Calls: which alarms wait, whom the house calls, and whether the way to them works.

Simulated tables never call anyone. A call has the table, the priority, the catalog id and the local time; no name of a
player and no card. A test call a day proves the way, and its failure is shown on every page of a pit.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from pitwarden_console.alarms.escalation import CalledSteps, CallOrder, CallStep, Escalation, WaitingAlarm
from pitwarden_console.alarms.floods import FloodWatch, grouped
from pitwarden_console.alarms.sound import NOT_LIVE, AlarmName
from pitwarden_console.board.pit_board import PitBoard, ranked
from pitwarden_console.board.snapshot import TableSnapshot
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import StoreError
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.site_time import SiteTime
from pitwarden_console.store.calls import TEST, CallBook, StoredCall

# Seconds between two checks: a hundredth of the shortest step of a house is not noticed by a person.
CHECK_S: Final = 1.0
# Time over which calls are read again after a restart, in ms: a gaming day. Those about what is open are read anyway.
RESUME_MS: Final = 86_400_000
DARK_RESUME_MS: Final = 600_000
"""Time over which calls about a table that is not live are read again, in ms: older ones are about another silence."""
UNKNOWN_MS: Final = 15_000
"""Time without a state after which the alarms of a table are those of its history, in ms: a link takes seconds."""
_LOST: Final = "the console stopped before the service answered"
_LOG: Final = logging.getLogger("pitwarden_console")


class CallWay(Protocol):
    """Way to the process that calls people."""

    async def call(self, recipient: str, title: str, text: str) -> str:
        """Return an empty text once the service took the call, else the reason why it did not."""
        ...


_CallName = tuple[AlarmName, int, str]
"""Alarm, step and recipient of a call."""


class CallDesk:
    """The calls of a house."""

    def __init__(
        self, book: CallBook, board: PitBoard, floods: FloodWatch, way: CallWay, clock: ConsoleClock,
        *, time: SiteTime, steps: Sequence[CallStep],
    ) -> None:  # fmt: skip
        self._book, self._board, self._floods, self._way = book, board, floods, way
        self._clock, self._time, self._steps = clock, time, steps
        self._escalation: Escalation | None = None
        self._noticed: dict[AlarmName, int] = {}
        self._seen: dict[AlarmName, int] = {}
        self._begun: dict[_CallName, int] = {}
        """Rows of calls that a former process began, and that no service answered."""
        self._tested_ms = 0
        self._calls: set[asyncio.Task[None]] = set()
        self._store_fault = ""
        self._faults: dict[str, str] = {}

    @property
    def fault(self) -> str:
        """Why calls do not arrive, with each recipient whose last call failed; empty while all arrive."""
        failing = [f"{name} cannot be called: {reason}" for name, reason in sorted(self._faults.items())]
        return "; ".join([*filter(None, [self._store_fault]), *failing])

    async def run(self) -> None:
        """Call until cancelled."""
        try:
            while True:
                await self.checked()
                await asyncio.sleep(CHECK_S)
        finally:
            for task in self._calls:
                task.cancel()
            await asyncio.gather(*self._calls, return_exceptions=True)

    async def checked(self) -> None:
        """Check, and keep a failure of the database as a fault: without a row there is no call."""
        try:
            await self.check()
        except StoreError as error:
            if not self._store_fault:
                _LOG.warning("call not recorded reason=%s", error)
            self._store_fault = str(error)
        else:
            self._store_fault = ""

    async def check(self) -> None:
        """Start each call that is due now.

        Raises:
            StoreError: The database failed; the calls that were not started are due at the next check.
        """
        now_ms = self._clock.utc_ms()
        if self._escalation is None:
            tested_ms = await self._book.last_test_ms()
            self._escalation = await self._resumed(now_ms)
            self._tested_ms = tested_ms
        orders = self._escalation.due(self._waiting(now_ms), now_ms, unknown=self._is_dark)
        await self._close_lost(orders, now_ms)
        for order in orders:
            await self._start(order, self._escalation, now_ms)
        if self._time.gaming_day(now_ms) != self._time.gaming_day(self._tested_ms):
            # Also those whose last call failed: nothing else would prove that they can be called again.
            for recipient in sorted({self._steps[0].recipient, *self._faults}):
                await self._start(CallOrder(0, recipient, ()), self._escalation, now_ms)
            self._tested_ms = now_ms

    async def settled(self) -> None:
        """Return once each call that was started has its answer."""
        await asyncio.gather(*self._calls)

    async def _resumed(self, now_ms: int) -> Escalation:
        """Return the steps as they were called before a restart, so that no one is called twice for one alarm.

        A call that no service answered is due again: it may never have left.
        """
        keys = {self._board.feed(key).progress.table_id: key for key in self._board.snapshots}
        rows: dict[AlarmName, list[StoredCall]] = {}
        for row in await self._book.recent(now_ms - RESUME_MS):
            is_past = row.ref == NOT_LIVE and now_ms - row.at_ms >= DARK_RESUME_MS
            if row.table_id in keys and not is_past:
                rows.setdefault(AlarmName(keys[row.table_id], row.ref), []).append(row)
        called: dict[AlarmName, CalledSteps] = {}
        for name, found in rows.items():
            answered = [row for row in found if row.answered_ms is not None]
            count = max((row.step + 1 for row in answered), default=0)
            lost = [row for row in found if row.answered_ms is None]
            self._begun |= {(name, row.step, row.recipient): row.ident for row in lost}
            is_due = any(row.step >= count for row in lost) or bool(answered and answered[-1].delivered is False)
            last_ms = max((row.at_ms for row in answered), default=0)
            called[name] = CalledSteps(count, last_ms, failed=is_due)
            self._noticed[name] = min(row.at_ms for row in found)
        for key in self._board.snapshots:
            for one in self._board.feed(key).progress.open.values():
                name = AlarmName(key, one.ref)
                self._noticed[name] = min(one.opened_ms, self._noticed.get(name, now_ms))
        return Escalation(self._steps, called)

    async def _close_lost(self, orders: Sequence[CallOrder], now_ms: int) -> None:
        """Record that no answer comes to calls of a former process which are not due again."""
        due = {(alarm.name, order.step, order.recipient) for order in orders for alarm in order.alarms}
        over = [called for called in self._begun if called not in due and not self._is_dark(called[0])]
        if over:
            idents = [self._begun[called] for called in over]
            await self._book.answered(idents, delivered=False, reason=_LOST, at_ms=now_ms)
            for called in over:
                del self._begun[called]

    def _waiting(self, now_ms: int) -> Sequence[WaitingAlarm]:
        tables = [table for table in self._board.snapshots.values() if not table.simulated]
        found = {alarm.name: alarm for alarm in self._alarms(tables, now_ms)}
        kept = {name: since for name, since in self._noticed.items() if name in found or self._is_dark(name)}
        self._noticed = kept | {name: alarm.noticed_ms for name, alarm in found.items()}
        self._seen = {
            name: alarm.acknowledged_ms for name, alarm in found.items() if alarm.acknowledged_ms is not None
        }  # fmt: skip
        causes = self._causes(tables)
        return [replace(alarm, cause=causes.get(name, "")) for name, alarm in found.items()]

    def _is_dark(self, name: AlarmName) -> bool:
        """Return whether nothing is known of the alarm's table now, so that the alarm may still be open."""
        table = self._board.snapshots.get(name.key)
        if table is None or table.is_live:
            return False
        # That a table is not live is itself the alarm; only without a state nothing says in which round it is.
        return name.ref != NOT_LIVE or table.state is None

    def _alarms(self, tables: Sequence[TableSnapshot], now_ms: int) -> Iterator[WaitingAlarm]:
        for table in tables:
            name = table.key.name
            if not table.is_live and table.state is not None and table.priority == 1:
                dark = AlarmName(table.key, NOT_LIVE)
                yield WaitingAlarm(dark, 1, f"{name}: not live in a round", self._noticed.get(dark, now_ms))
            # What was open at a table that is not live now has not ended: its steps continue.
            for item in table.heeded:
                alarm = AlarmName(table.key, item.ref)
                title = f"{name}: {item.catalogue} {item.words}"
                since_ms = self._noticed.get(alarm, now_ms)
                # The time of an acknowledgment is read from the history, which may be behind the state.
                seen_ms = item.acknowledged_ms or self._seen.get(alarm, now_ms)
                yield WaitingAlarm(
                    alarm, item.priority, title, since_ms, seen_ms if item.state == "acknowledged" else None
                )  # fmt: skip
            if table.state is None and now_ms - (table.stale_since_ms or now_ms) >= UNKNOWN_MS:
                yield from self._stored(table.key)

    def _stored(self, key: TableKey) -> Iterator[WaitingAlarm]:
        """Yield what the history has open of a table without a state."""
        for one in self._board.feed(key).progress.open.values():
            name = AlarmName(key, one.ref)
            title = f"{key.name}: {one.catalogue} {' '.join(one.verdicts)}".rstrip()
            since_ms = self._noticed.get(name, one.opened_ms)
            yield WaitingAlarm(name, one.priority, title, since_ms, one.acknowledged_ms)

    def _causes(self, tables: Sequence[TableSnapshot]) -> Mapping[AlarmName, str]:
        """Return the likely cause of each alarm of a pit that is flooded."""
        causes: dict[AlarmName, str] = {}
        for pit in self._floods.flooded(None):
            for group in grouped(ranked([table for table in tables if table.key.pit == pit])):
                causes |= {AlarmName(table.key, item.ref): group.cause for table, item in group.alarms}
        return causes

    async def _start(self, order: CallOrder, escalation: Escalation, now_ms: int) -> None:
        """Record a call, and let it run: the service may take its time."""
        title, text = self._words(order, now_ms)
        kept = [name for name in _names(order) if name in self._begun]
        fresh = [
            (self._board.feed(alarm.name.key).progress.table_id, alarm.name.ref)
            for alarm, name in zip(order.alarms, _names(order), strict=True)
            if name not in self._begun
        ]
        idents = [self._begun[name] for name in kept]
        if fresh or not order.alarms:
            idents += await self._book.add(
                fresh or [(None, TEST)], step=order.step, recipient=order.recipient, title=title, at_ms=now_ms
            )
        for name in kept:
            del self._begun[name]
        escalation.begun(order, now_ms)
        made = asyncio.create_task(self._call(order, escalation, idents, (title, text)), name=f"call {idents[0]}")
        self._calls.add(made)
        made.add_done_callback(self._calls.discard)

    async def _call(
        self, order: CallOrder, escalation: Escalation, idents: Sequence[int], words: tuple[str, str]
    ) -> None:
        reason = await self._way.call(order.recipient, *words)
        if reason:
            self._faults[order.recipient] = reason
            _LOG.error("call failed recipient=%s reason=%s", order.recipient, reason)
            escalation.failed(order)
        else:
            self._faults.pop(order.recipient, None)
        # A call without a recorded answer would be made again after a restart.
        answered_ms, is_logged = self._clock.utc_ms(), False
        while True:
            try:
                await self._book.answered(idents, delivered=not reason, reason=reason, at_ms=answered_ms)
            except StoreError as error:
                if not is_logged:  # once a call: a store can be away for hours
                    _LOG.warning("answer of a call not recorded reason=%s", error)
                is_logged = True
                await asyncio.sleep(CHECK_S)
            else:
                return

    def _words(self, order: CallOrder, now_ms: int) -> tuple[str, str]:
        if not order.alarms:
            return "Test call of the pit console", f"The way of calls works. {self._time.clock(now_ms)}."
        first = min(order.alarms, key=lambda alarm: (alarm.priority, alarm.noticed_ms))
        since = self._time.clock(first.noticed_ms)
        seen = "acknowledged and still open" if first.acknowledged_ms is not None else "not acknowledged"
        title = f"Priority {first.priority}: {first.title}"
        if len(order.alarms) > 1:
            title = f"Priority {first.priority}: {len(order.alarms)} alarms, likely cause: {first.cause}"
        return title, f"{title}. In {first.name.key.pit} since {since}, {seen}."


def _names(order: CallOrder) -> Sequence[_CallName]:
    return [(alarm.name, order.step, order.recipient) for alarm in order.alarms]

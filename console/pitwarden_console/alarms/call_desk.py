"""Calls: which alarms wait, whom the house calls, and whether the way to them works.

Simulated tables never call anyone. A call has the table, the priority, the catalog id and the local time; no name of a
player and no card. A test call a day proves the way, and its failure is shown on every page of a pit.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

from pitwarden_console.alarms.escalation import CallOrder, CallStep, Escalation, WaitingAlarm
from pitwarden_console.alarms.floods import FloodWatch, grouped
from pitwarden_console.alarms.sound import NOT_LIVE, AlarmName
from pitwarden_console.board.pit_board import PitBoard, ranked
from pitwarden_console.board.snapshot import TableSnapshot
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import StoreError
from pitwarden_console.site_time import SiteTime
from pitwarden_console.store.calls import TEST, CallBook

# Seconds between two checks: a hundredth of the shortest step of a house is not noticed by a person.
CHECK_S: Final = 1.0
# Time over which calls are read again after a restart, in ms: longer than any alarm stays open in a gaming day.
RESUME_MS: Final = 86_400_000
_LOG: Final = logging.getLogger("pitwarden_console")


class CallWay(Protocol):
    """Way to the process that calls people."""

    async def call(self, recipient: str, title: str, text: str) -> str:
        """Return an empty text once the service took the call, else the reason why it did not."""
        ...


class CallDesk:
    """The calls of a house. `fault` is the reason why calls do not arrive; empty while they do."""

    def __init__(
        self, book: CallBook, board: PitBoard, floods: FloodWatch, way: CallWay, clock: ConsoleClock,
        *, time: SiteTime, steps: Sequence[CallStep],
    ) -> None:  # fmt: skip
        self.fault = ""
        self._book, self._board, self._floods, self._way = book, board, floods, way
        self._clock, self._time, self._steps = clock, time, steps
        self._escalation: Escalation | None = None
        self._noticed: dict[AlarmName, int] = {}
        self._tested_ms = 0
        self._calls: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Call until cancelled."""
        try:
            while True:
                try:
                    await self.check()
                except StoreError as error:
                    # Without a row there is no call: the next check tries again, and the pages show why.
                    self.fault = str(error)
                    _LOG.warning("call not recorded reason=%s", error)
                await asyncio.sleep(CHECK_S)
        finally:
            for task in self._calls:
                task.cancel()
            await asyncio.gather(*self._calls, return_exceptions=True)

    async def check(self) -> None:
        """Start each call that is due now.

        Raises:
            StoreError: The database failed; the calls are due again after it works.
        """
        now_ms = self._clock.utc_ms()
        if self._escalation is None:
            self._escalation = await self._resumed(now_ms)
            self._tested_ms = await self._book.last_test_ms()
        for order in self._escalation.due(self._waiting(now_ms), now_ms):
            await self._start(order, self._escalation, now_ms)
        if self._time.gaming_day(now_ms) != self._time.gaming_day(self._tested_ms):
            self._tested_ms = now_ms
            await self._start(CallOrder(0, self._steps[0].recipient, ()), self._escalation, now_ms)

    async def settled(self) -> None:
        """Return once each call that was started has its answer."""
        await asyncio.gather(*self._calls)

    async def _resumed(self, now_ms: int) -> Escalation:
        """Return the steps as they were called before a restart, so that no one is called twice for one alarm."""
        stored = await self._book.steps(now_ms - RESUME_MS)
        called: dict[AlarmName, int] = {}
        for key, table in self._board.snapshots.items():
            table_id = self._board.feed(key).progress.table_id
            for item in table.open:
                called[AlarmName(key, item.ref)] = stored.get((table_id, item.ref), 0)
                self._noticed[AlarmName(key, item.ref)] = min(item.opened_ms or now_ms, now_ms)
        return Escalation(self._steps, called)

    def _waiting(self, now_ms: int) -> Sequence[WaitingAlarm]:
        tables = [table for table in self._board.snapshots.values() if not table.simulated]
        found = {alarm.name: alarm for alarm in self._alarms(tables, now_ms)}
        kept = {name: since for name, since in self._noticed.items() if name in found or self._is_dark(name)}
        self._noticed = kept | {name: alarm.noticed_ms for name, alarm in found.items()}
        causes = self._causes(tables)
        return [replace(alarm, cause=causes.get(name, "")) for name, alarm in found.items()]

    def _is_dark(self, name: AlarmName) -> bool:
        """Return whether nothing is known of the alarm's table now, so that the alarm may still be open."""
        table = self._board.snapshots.get(name.key)
        return table is not None and not table.is_live and name.ref != NOT_LIVE

    def _alarms(self, tables: Sequence[TableSnapshot], now_ms: int) -> Iterator[WaitingAlarm]:
        for table in tables:
            name = table.key.name
            if not table.is_live and table.state is not None and table.priority == 1:
                dark = AlarmName(table.key, NOT_LIVE)
                yield WaitingAlarm(dark, 1, f"{name}: not live in a round", self._noticed.get(dark, now_ms))
            for item in table.heeded if table.is_live else ():
                alarm = AlarmName(table.key, item.ref)
                title = f"{name}: {item.catalogue} {item.words}"
                since_ms = self._noticed.get(alarm, now_ms)
                # The time of an acknowledgment is read from the history, which may be behind the state.
                seen_ms = (item.acknowledged_ms or now_ms) if item.state == "acknowledged" else None
                yield WaitingAlarm(alarm, item.priority, title, since_ms, seen_ms)

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
        alarms = [(self._board.feed(alarm.name.key).progress.table_id, alarm.name.ref) for alarm in order.alarms]
        idents = await self._book.add(
            alarms or [(None, TEST)], step=order.step, recipient=order.recipient, title=title, at_ms=now_ms
        )
        made = asyncio.create_task(self._call(order, escalation, idents, (title, text)), name=f"call {idents[0]}")
        self._calls.add(made)
        made.add_done_callback(self._calls.discard)

    async def _call(
        self, order: CallOrder, escalation: Escalation, idents: Sequence[int], words: tuple[str, str]
    ) -> None:
        reason = await self._way.call(order.recipient, *words)
        self.fault = f"{order.recipient} cannot be called: {reason}" if reason else ""
        if reason:
            _LOG.error("call failed recipient=%s reason=%s", order.recipient, reason)
            escalation.failed(order)
        try:
            await self._book.answered(idents, delivered=not reason, reason=reason, at_ms=self._clock.utc_ms())
        except StoreError as error:
            _LOG.warning("answer of a call not recorded reason=%s", error)

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

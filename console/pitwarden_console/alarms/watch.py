"""Watch over all tables, once a second by the console's clock: what opened, which shelving ended, what sounds.

Time passes without a message from a table. So the watch marks the tables whose pages would otherwise show the past.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Final

from pitwarden_console.alarms.floods import WINDOW_MS, FloodWatch, Opening
from pitwarden_console.alarms.sound import AlarmName, SilenceBook
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.board.snapshot import TableSnapshot
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import StoreError
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.store.database import HistoryDatabase

# Seconds between two checks. Every time that alarm management promises is in minutes.
CHECK_S: Final = 1.0
_LOG: Final = logging.getLogger("pitwarden_console")


class AlarmWatch:
    """The watch. `mark` is called for a table whose pages have to be rendered again."""

    def __init__(
        self, database: HistoryDatabase, board: PitBoard, clock: ConsoleClock, mark: Callable[[TableKey], None]
    ) -> None:
        self.floods, self.silences = FloodWatch(), SilenceBook()
        self._database, self._board, self._clock, self._mark = database, board, clock, mark
        self._known: dict[AlarmName, str] = {}
        self._shown: dict[TableKey, object] = {}
        self._is_first = True

    async def run(self) -> None:
        """Check until cancelled."""
        while True:
            await self.check()
            await asyncio.sleep(CHECK_S)

    async def check(self) -> None:
        """Check every table once."""
        now_ms = self._clock.utc_ms()
        self._notice(self._board.snapshots)
        for key, table in self._board.snapshots.items():
            await self._end_shelves(table)
            shown = self._times_of(table, now_ms)
            if self._shown.get(key, shown) != shown:
                self._mark(key)
            self._shown[key] = shown

    def _notice(self, tables: Mapping[TableKey, TableSnapshot]) -> None:
        """Record what opened since the last check. What was open at the start is not new."""
        monotonic_ms, utc_ms = self._clock.monotonic_ms(), self._clock.utc_ms()
        self.floods.forget(monotonic_ms)
        now = {
            AlarmName(key, item.ref): (item.catalogue, item.opened_ms)
            for key, table in tables.items()
            for item in table.open
        }
        for name, (catalogue, opened_ms) in now.items():
            is_old = self._is_first and (opened_ms is None or utc_ms - opened_ms >= WINDOW_MS)
            if name not in self._known and not is_old:
                self.floods.opened(Opening(monotonic_ms, name.key, catalogue))
        # An alarm of a table that is not live for a moment is not a new one afterwards.
        gone = {name for name in self._known if name.key not in tables or tables[name.key].is_live}
        self._known = {name: text for name, text in self._known.items() if name not in gone or name in now}
        self._known |= {name: catalogue for name, (catalogue, _) in now.items()}
        self._is_first = False

    async def _end_shelves(self, table: TableSnapshot) -> None:
        """Close each shelving whose irregularity has ended. Of a table that is not live nothing is known."""
        if not table.is_live:
            return
        refs = {item.ref for item in table.open}
        for one in self._board.shelves.of_table(self._board.feed(table.key).progress.table_id):
            if one.ref not in refs:
                try:
                    await self._board.shelves.close(self._database, one, "ended", self._clock.utc_ms(), None)
                except StoreError as error:
                    _LOG.warning("shelf not closed table=%s reason=%s", table.key.name, error)

    def _times_of(self, table: TableSnapshot, now_ms: int) -> object:
        """Return what of a table changes by time alone: shelvings that are over, what sounds, and chatter."""
        over = tuple(item.ref for item in table.open if item.shelf is not None and item.shelf.is_over(now_ms))
        chatter = tuple(self.floods.times(table.key, item.catalogue) for item in table.open)
        flooded = self.floods.flooded(table.key.pit)
        return over, chatter, flooded, self.silences.sounding([table], now_ms)

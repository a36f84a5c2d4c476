"""Pages that a stream keeps current: pits and tables, and the parts of which they consist."""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

from pitwarden_console.alarms.call_desk import CallDesk
from pitwarden_console.alarms.floods import CHATTER, AlarmGroup, grouped
from pitwarden_console.alarms.house_acts import alarm_names
from pitwarden_console.alarms.watch import AlarmWatch
from pitwarden_console.board.pit_board import PitBoard, ranked, shelved
from pitwarden_console.board.snapshot import TableSnapshot
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.web.hub import LivePart
from pitwarden_console.web.languages.choice import ENGLISH
from pitwarden_console.web.rendering import Renderer, safe

SIMULATED: Final = "Simulated"


class LivePages:
    """Parts of the live pages, and their values for the first answer."""

    def __init__(
        self, board: PitBoard, renderer: Renderer, watch: AlarmWatch, desk: CallDesk | None,
        *, clock: ConsoleClock, has_people: bool,
    ) -> None:  # fmt: skip
        self._board, self._renderer, self._watch, self._desk, self._clock = board, renderer, watch, desk, clock
        self.pits = board.pits()
        more = [(f"/pit/{quote(pit)}", pit) for pit in self.pits] if len(self.pits) > 1 else []
        last = [("/audit", "Acts"), ("/shift", "Start shift")] if has_people else []
        self.navigation: Sequence[tuple[str, str]] = (
            ("/", "Tables"), *more, ("/unseen", "Unseen"), ("/history", "History"),
            ("/shift-report", "Shift"), ("/trends", "Trends"), ("/technician", "Devices"), ("/check", "Check"),
            ("/reports", "Reports"), *last,
        )  # fmt: skip

    def find(self, site: str, name: str) -> TableKey | None:
        """Return the key of a table; None for one that is not in the console file."""
        return self._board.find(site, name)

    def alarm_part(self, pit: str | None, language: str = ENGLISH) -> LivePart:
        """Return the part that a page's sound follows: what sounds in a pit; in all pits for None."""
        every = frozenset(table.key for table in self._board.in_pit(pit))
        return LivePart("alarm", every, lambda: self._alarm(pit, language), pit or "", language)

    def pit_parts(self, pit: str | None) -> Sequence[LivePart]:
        """Return the parts of a pit's page; of the page of all pits for None."""
        keys = [table.key for table in self._board.in_pit(pit)]
        tiles = [self._tile(key) for key in keys]
        every = frozenset(keys)
        return (
            LivePart("shape", every, lambda: self._shape(pit), pit or ""),
            LivePart("summary", every, lambda: self._summary(pit), pit or ""),
            *tiles,
        )

    def pit_page(self, pit: str | None) -> Mapping[str, object]:
        """Return the values of a pit's page. Simulated tables are a group of their own, and the last."""
        tables = self._board.in_pit(pit)
        groups: dict[str, list[object]] = {}
        for table in sorted(tables, key=lambda one: one.simulated):
            title = SIMULATED if table.simulated else table.key.pit
            groups.setdefault(title, []).append(safe(self._tile(table.key).render()))
        return {
            "pit": pit,
            "shape": safe(self._shape(pit)),
            "summary": safe(self._summary(pit)),
            "groups": list(groups.items()),
        }

    def table_parts(self, key: TableKey, language: str) -> Sequence[LivePart]:
        """Return the parts of a table's page."""
        page = f"{key.site}/{key.name}"
        return (LivePart("table", frozenset((key,)), lambda: self._table(key, language), page, language),)

    def table_page(self, key: TableKey, language: str) -> Mapping[str, object]:
        """Return the values of a table's page."""
        return {"table": safe(self._table(key, language))}

    def _shape(self, pit: str | None) -> str:
        """Return which tables are in which group. A page loads again when it changes: at a table's first state."""
        simulated = [f"{table.key.site}/{table.key.name}" for table in self._board.in_pit(pit) if table.simulated]
        return self._renderer.part("shape", " ".join(simulated))

    def _tile(self, key: TableKey) -> LivePart:
        ident = f"tile-{key.site}-{key.name}"
        return LivePart(
            ident, frozenset((key,)), lambda: self._renderer.part("tile", self._board.snapshots[key], ident)
        )

    def _summary(self, pit: str | None) -> str:
        tables = self._board.in_pit(pit)
        dark = sorted((one for one in tables if not one.is_live), key=lambda one: (one.priority, one.stale_since_ms))
        first = ranked(tables)
        flooded = self._watch.floods.flooded(pit)
        groups = grouped(first) if flooded else [AlarmGroup("", (pair,)) for pair in first]
        alarms = {
            "groups": self._thinned(groups), "ranked": first, "shelved": shelved(tables), "flooded": flooded,
            "opened": self._watch.floods.count(pit), "calls_fault": "" if self._desk is None else self._desk.fault,
        }  # fmt: skip
        return self._renderer.part("summary", alarms, dark, tables, _behind(tables))

    def _thinned(self, groups: Sequence[AlarmGroup]) -> Sequence[tuple[AlarmGroup, int]]:
        """Return each group with how often its alarm chattered; of one that chatters only the first line."""
        made: list[tuple[AlarmGroup, int]] = []
        chattering = set[tuple[TableKey, str]]()
        for group in groups:
            table, item = group.alarms[0]
            times = 0 if group.cause else self._watch.floods.times(table.key, item.catalogue)
            if times >= CHATTER and item.priority > 1:
                if (table.key, item.catalogue) in chattering:
                    continue
                chattering.add((table.key, item.catalogue))
            made.append((group, times if times >= CHATTER else 0))
        return made

    def _alarm(self, pit: str | None, language: str) -> str:
        sounding = self._watch.silences.sounding(self._board.in_pit(pit), self._clock.utc_ms())
        return self._renderer.part("alarm", sounding, alarm_names(sounding.names), language=language)

    def _table(self, key: TableKey, language: str) -> str:
        feed = self._board.feed(key)
        devices = [(name, feed.view.device(name)) for name in sorted(feed.view.devices)]
        return self._renderer.part("table", self._board.snapshots[key], feed.activity, devices, language=language)


def _behind(tables: Sequence[TableSnapshot]) -> str:
    """Return which tables' history does not reach the present, and why."""
    behind = [f"{table.key.name} ({table.behind})" for table in tables if table.is_live and table.behind]
    return "; ".join(behind[:3]) + (f"; and {len(behind) - 3} more" if len(behind) > 3 else "")  # noqa: PLR2004  one line

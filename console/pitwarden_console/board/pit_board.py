"""All tables of the console as pages show them: a snapshot each, and since when one has not been live."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pitwarden_console.board.snapshot import OpenItem, TableSnapshot, snapshot
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.ingest.feed import TableKey, TableSource
from pitwarden_console.priorities import Priorities
from pitwarden_console.store.shelves import ShelfBook


@dataclass(frozen=True, slots=True)
class BoardChange:
    """Result of a refresh: the tables that changed, and whether something is open that was not, or no longer is."""

    tables: frozenset[TableKey]
    urgent: bool


class PitBoard:
    """Snapshots of all tables, by key. `refresh` takes new ones of the tables that were marked."""

    def __init__(self, clock: ConsoleClock, priorities: Priorities, shelves: ShelfBook | None = None) -> None:
        self._clock, self._priorities = clock, priorities
        self.shelves = ShelfBook() if shelves is None else shelves
        self._feeds: dict[TableKey, TableSource] = {}
        self._snapshots: dict[TableKey, TableSnapshot] = {}
        self._marked: set[TableKey] = set()

    def add(self, feed: TableSource) -> None:
        """Add a table."""
        self._feeds[feed.key] = feed
        self._snapshots[feed.key] = self._snapshot(feed, None)

    def mark(self, key: TableKey) -> None:
        """Record that something changed at a table."""
        self._marked.add(key)

    def refresh(self) -> BoardChange:
        """Take a snapshot of each marked table, and of each that became live or stale; return what changed."""
        changed, urgent = set[TableKey](), False
        for key, feed in self._feeds.items():
            before = self._snapshots[key]
            if key not in self._marked and before.is_live is not bool(feed.stale()):
                continue
            after = self._snapshot(feed, before)
            # An activity changes without its snapshot: a marked table counts as changed.
            changed.add(key)
            urgent = urgent or _alarms(before) != _alarms(after)
            self._snapshots[key] = after
        self._marked.clear()
        return BoardChange(frozenset(changed), urgent)

    @property
    def snapshots(self) -> Mapping[TableKey, TableSnapshot]:
        """The newest snapshots."""
        return self._snapshots

    def feed(self, key: TableKey) -> TableSource:
        """Return the feed of a table."""
        return self._feeds[key]

    def find(self, site: str, name: str) -> TableKey | None:
        """Return the key of a table; None for one that is not in the console file."""
        return next((key for key in self._feeds if (key.site, key.name) == (site, name)), None)

    def pits(self) -> Sequence[str]:
        """Return the pits in the order of the console file."""
        return tuple(dict.fromkeys(key.pit for key in self._feeds))

    def in_pit(self, pit: str | None) -> Sequence[TableSnapshot]:
        """Return the tables of a pit in the order of the console file; of every pit for None."""
        return [one for key, one in self._snapshots.items() if pit in {None, key.pit}]

    def _snapshot(self, feed: TableSource, before: TableSnapshot | None) -> TableSnapshot:
        stale = feed.stale()
        since = None
        if stale:
            known = before.stale_since_ms if before is not None else None
            since = self._clock.utc_ms() if known is None else known
        return snapshot(feed, stale, since, self._priorities, shelves=self.shelves, now_ms=self._clock.utc_ms())


def ranked(tables: Iterable[TableSnapshot]) -> Sequence[tuple[TableSnapshot, OpenItem]]:
    """Return what is open at tables that are live and not shelved, the most urgent first."""
    found = [(table, item) for table in tables if table.is_live for item in table.heeded]
    return sorted(found, key=lambda pair: pair[1].rank)


def shelved(tables: Iterable[TableSnapshot]) -> Sequence[tuple[TableSnapshot, OpenItem]]:
    """Return what is shelved, also of tables that are not live: the list of the shelved is always complete."""
    return [(table, item) for table in tables for item in table.open if item.is_shelved]


def _alarms(table: TableSnapshot) -> tuple[bool, frozenset[tuple[str, str]]]:
    return table.is_live, frozenset((item.ref, item.state) for item in table.open)

"""Sound of a page: what sounds in a pit, and who silenced it until when. Silence is no acknowledgment.

Threat: an alarm that is silenced and forgotten. Silence ends after a minute, does not cover an alarm that opens later,
and an alarm that was acknowledged sounds again when it stays open.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pitwarden_console.board.snapshot import TableSnapshot
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import Priority

# Time for which a person can silence what sounds, in ms: long enough to reach a table and see.
SILENCE_MS: Final = 60_000
REMIND_MS: Final[Mapping[int, int]] = {1: 600_000, 2: 1_800_000}
"""Time after an acknowledgment at which an alarm that is still open sounds again, in ms, by priority."""
NOT_LIVE: Final = "not-live"
"""Reference of the alarm that a table is not live."""


@dataclass(frozen=True, slots=True, order=True)
class AlarmName:
    """Address of an alarm: its table and its reference there."""

    key: TableKey
    ref: str


@dataclass(frozen=True, slots=True)
class Sounding:
    """Alarms that sound on a page, and the most urgent priority. Without names the page is quiet."""

    names: tuple[AlarmName, ...]
    priority: Priority | None
    silenced_by: str = ""
    silenced_until_ms: int = 0


class SilenceBook:
    """Silences, in memory: a restart sounds again."""

    def __init__(self) -> None:
        self._silenced: dict[AlarmName, tuple[int, str]] = {}

    def silence(self, names: Iterable[AlarmName], person: str, now_ms: int) -> None:
        """Silence alarms for a while (`now_ms` in UTC)."""
        self._silenced = {name: pair for name, pair in self._silenced.items() if pair[0] > now_ms}
        for name in names:
            self._silenced[name] = (now_ms + SILENCE_MS, person)

    def sounding(self, tables: Sequence[TableSnapshot], now_ms: int) -> Sounding:
        """Return what sounds at `tables`. Simulated tables sound only on a page that has no others."""
        real = [table for table in tables if not table.simulated]
        found = [pair for table in real or tables for pair in _alarms(table, now_ms)]
        loud = [pair for pair in found if self._silenced.get(pair[1], (0, ""))[0] <= now_ms]
        if loud:
            names = tuple(sorted(name for _, name in loud))
            return Sounding(names, min(priority for priority, _ in loud))
        silent = [self._silenced[name] for _, name in found]
        until_ms, person = max(silent, default=(0, ""))
        return Sounding((), None, person, until_ms)


def _alarms(table: TableSnapshot, now_ms: int) -> Iterable[tuple[Priority, AlarmName]]:
    """Yield what asks for attention at a table, with its priority."""
    if not table.is_live:
        if table.state is not None and table.priority is not None:
            yield table.priority, AlarmName(table.key, NOT_LIVE)
        return
    for item in table.heeded:
        wait_ms = REMIND_MS.get(item.priority)
        forgotten = (
            item.acknowledged_ms is not None and wait_ms is not None and now_ms - item.acknowledged_ms >= wait_ms
        )
        if item.state != "acknowledged" or forgotten:
            yield item.priority, AlarmName(table.key, item.ref)

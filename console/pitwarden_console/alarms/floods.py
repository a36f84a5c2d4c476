"""Floods and chatter: how many alarms a pit opened in the last ten minutes, and which of them have one cause. Pure."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pitwarden_console.board.snapshot import OpenItem, TableSnapshot
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import Priority

# Time over which alarms are counted, in ms (EEMUA 191: 10 in 10 minutes are more than a person can handle).
WINDOW_MS: Final = 600_000
FLOOD: Final = 10
"""Number of new alarms of a pit in the window above which there is a flood."""
CHATTER: Final = 3
"""Number of openings of one catalogue id at one table in the window that make it chatter."""
GROUPED: Final = 3
"""Number of alarms with one cause that are shown as a group: two are read as fast as a group's line."""
# Openings that are remembered: a property with a hundred tables does not open so many in ten minutes.
MAX_OPENINGS: Final = 10_000

Ranked = tuple[TableSnapshot, OpenItem]


@dataclass(frozen=True, slots=True)
class Opening:
    """Opening of an alarm, by the console's own clock (monotonic, ms)."""

    at_ms: int
    key: TableKey
    catalogue: str


@dataclass(frozen=True, slots=True)
class AlarmGroup:
    """Alarms with one likely cause. An alarm that stands alone has no cause."""

    cause: str
    alarms: tuple[Ranked, ...]

    @property
    def priority(self) -> Priority:
        """Priority of the most urgent one."""
        return min(item.priority for _, item in self.alarms)


class FloodWatch:
    """Openings of the last ten minutes."""

    def __init__(self) -> None:
        self._openings: deque[Opening] = deque(maxlen=MAX_OPENINGS)

    def opened(self, made: Opening) -> None:
        """Record an opening."""
        self._openings.append(made)

    def forget(self, now_ms: int) -> None:
        """Forget what is older than the window."""
        while self._openings and now_ms - self._openings[0].at_ms >= WINDOW_MS:
            self._openings.popleft()

    def count(self, pit: str | None) -> int:
        """Return the number of openings in a pit; in all pits for None."""
        return sum(pit in {None, one.key.pit} for one in self._openings)

    def flooded(self, pit: str | None) -> tuple[str, ...]:
        """Return the pits with a flood, of one pit or of all."""
        counts = Counter(one.key.pit for one in self._openings if pit in {None, one.key.pit})
        return tuple(sorted(name for name, count in counts.items() if count > FLOOD))

    def times(self, key: TableKey, catalogue: str) -> int:
        """Return how often a catalogue id was opened at a table."""
        return sum(one.key == key and one.catalogue == catalogue for one in self._openings)


def grouped(ranked: Sequence[Ranked]) -> Sequence[AlarmGroup]:
    """Return `ranked` with those of one likely cause together, each group in the place of its first alarm.

    Priority 1 is never grouped away. The cause that explains most alarms is taken first.
    """
    left = {place: pair for place, pair in enumerate(ranked) if pair[1].priority > 1}
    made: dict[int, AlarmGroup] = {}
    while left:
        counts = Counter(cause for pair in left.values() for cause in _causes(pair))
        cause, count = max(counts.items(), key=lambda pair: pair[1])
        if count < GROUPED:
            break
        members = [place for place, pair in left.items() if cause in set(_causes(pair))]
        made[members[0]] = AlarmGroup(cause, tuple(left.pop(place) for place in members))
    taken = {id(pair) for group in made.values() for pair in group.alarms}
    alone = {place: AlarmGroup("", (pair,)) for place, pair in enumerate(ranked) if id(pair) not in taken}
    return [group for _, group in sorted((made | alone).items())]


def _causes(pair: Ranked) -> Iterator[str]:
    """Yield what can be behind an alarm, the narrowest first: of equal numbers the first one is taken."""
    table, item = pair
    case = item.irregularity
    if case is not None and case.deck:
        yield f"deck {case.deck} of {table.key.name}"
    yield f"table {table.key.name}"
    if case is not None and case.device:
        yield f"devices of the kind {case.device.rstrip('0123456789').rstrip('-_') or case.device}"
    yield f"{item.catalogue} at several tables"

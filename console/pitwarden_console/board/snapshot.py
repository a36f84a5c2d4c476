"""Snapshot of a table for pages: its state, what is open and how urgent, and whether any of it is live. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pitwarden_client.events.outputs import Duty, Irregularity, TableState
from pitwarden_console.ingest.feed import TableKey, TableSource
from pitwarden_console.priorities import Priorities, Priority
from pitwarden_console.store.incidents import Incident
from pitwarden_console.store.shelves import Shelf, ShelfBook

STOP: Final[Priority] = 1
NOTE: Final[Priority] = 3

AlarmState = Literal["unacknowledged", "acknowledged", "due", "shelved"]
_STATES: Final = ("unacknowledged", "due", "acknowledged", "shelved")


@dataclass(frozen=True, slots=True)
class OpenItem:
    """An irregularity or a duty that has not ended. `opened_ms` is None while its opening has not been read."""

    ref: str
    catalogue: str
    clauses: tuple[str, ...]
    words: str
    priority: Priority
    state: AlarmState
    sentence: str
    actor: str
    clears: str
    by: str | None
    opened_ms: int | None
    place: str
    irregularity: Irregularity | None
    acknowledged_ms: int | None = None
    shelf: Shelf | None = None
    """Its shelving, which lasts, or ended without anyone having seen the alarm since."""

    @property
    def is_shelved(self) -> bool:
        """True while a person has put it aside."""
        return self.state == "shelved"

    @property
    def rank(self) -> tuple[int, int, int]:
        """Order of urgency: unacknowledged first, then by priority, then the oldest."""
        return _STATES.index(self.state), self.priority, self.opened_ms or 0


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """A table as pages show it. Without `state` nothing is known of it; with `stale` the state is of the past."""

    key: TableKey
    simulated: bool
    state: TableState | None
    stale: tuple[str, ...]
    stale_since_ms: int | None
    behind: str
    open: tuple[OpenItem, ...]

    @property
    def is_live(self) -> bool:
        """True while what is shown is true at the table."""
        return not self.stale

    @property
    def may_hide_cards(self) -> bool:
        """True while a card may lie face down: in a round, and while nothing new is known of the table."""
        return not self.is_live or self.state is None or self.state.in_round

    @property
    def priority(self) -> Priority | None:
        """Priority of the most urgent item, or of not being live; None when the table needs no one."""
        if not self.is_live:
            return STOP if self.state is not None and self.state.in_round else NOTE
        return min((item.priority for item in self.heeded), default=None)

    @property
    def heeded(self) -> tuple[OpenItem, ...]:
        """Open items that are not shelved."""
        return tuple(item for item in self.open if not item.is_shelved)

    @property
    def worst(self) -> OpenItem | None:
        """The most urgent item that is not shelved."""
        return next(iter(self.heeded), None)


def snapshot(
    feed: TableSource, stale: tuple[str, ...], stale_since_ms: int | None, priorities: Priorities,
    *, shelves: ShelfBook, now_ms: int,
) -> TableSnapshot:  # fmt: skip
    """Return the snapshot of a table at `now_ms`, of which `stale` has been true since `stale_since_ms` (both UTC)."""
    state = feed.view.state
    known = feed.progress.open
    made = () if state is None else _items(state, known, priorities)
    shelved = (_shelved(item, shelves.of(feed.progress.table_id, item.ref), now_ms) for item in made)
    items = tuple(sorted(shelved, key=lambda item: item.rank))
    simulated = feed.progress.simulated if state is None else state.simulated
    return TableSnapshot(feed.key, simulated, state, stale, stale_since_ms, feed.behind(), items)


def _shelved(item: OpenItem, shelf: Shelf | None, now_ms: int) -> OpenItem:
    """Return `item` as a shelving makes it: put aside, or returned and unacknowledged. Urgent ones stay in view."""
    if shelf is None or item.priority < NOTE:
        return item
    return replace(item, shelf=shelf, state="unacknowledged" if shelf.is_over(now_ms) else "shelved")


def _items(state: TableState, known: Mapping[str, Incident], priorities: Priorities) -> Iterable[OpenItem]:
    for one in state.irregularities:
        seen = one.status == "acknowledged"
        read = known.get(one.ref)
        yield OpenItem(
            ref=one.ref,
            catalogue=one.catalogue,
            clauses=one.clauses,
            words=" ".join(one.verdicts),
            priority=priorities.of_irregularity(one.catalogue, one.verdicts),
            state="acknowledged" if seen else "unacknowledged",
            sentence=one.sentence,
            actor=one.actor,
            clears=one.clears,
            by=(one.by or (read.acknowledged_by if read else None)) if seen else None,
            opened_ms=read.opened_ms if read else None,
            place=_place(one),
            irregularity=one,
            acknowledged_ms=read.acknowledged_ms if read and seen else None,
        )
    for duty in state.duties:
        yield _duty(duty, known.get(duty.ref), priorities)


def _duty(duty: Duty, read: Incident | None, priorities: Priorities) -> OpenItem:
    return OpenItem(
        ref=duty.ref,
        catalogue=duty.catalogue,
        clauses=duty.clauses,
        words=f"{duty.duty.replace('_', ' ')} {duty.status}",
        priority=priorities.of_duty(duty.catalogue, duty.status),
        state="due",
        sentence=duty.sentence,
        actor=duty.actor,
        clears="it is done",
        by=None,
        opened_ms=read.opened_ms if read else None,
        place=duty.subject,
        irregularity=None,
    )


def _place(one: Irregularity) -> str:
    parts: Sequence[tuple[str, object]] = (
        ("round", one.round), ("deck", one.deck), ("device", one.device), ("box", one.box),
    )  # fmt: skip
    return ", ".join(f"{name} {value}" for name, value in parts if value is not None)

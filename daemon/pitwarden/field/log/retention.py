"""Which rows are still needed, and trimming of the rest.

Once an hour the log is looked at whole, and rows go that are old and stored by all; a signed checkpoint stays.

A row goes only behind the key that seals what follows it, so that every row kept can be opened by its judge.

The durable consumers beside the judge: what they have stored is kept on our disk, so that nothing is trimmed early.

Anybody may say a position under his own name; only the names of the table file count, and none moves backwards.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from pitwarden.field.log.epochs import CheckpointSigner
from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.maintenance import DamageHandler, IntegrityInspector, MaintenanceJob
from pitwarden.system.clock import DAY_MS, Clock
from pitwarden.system.tasks import WorkQueue
from pitwarden_client.events.envelope import rfc3339
from pitwarden_client.events.status import ConsumerPosition

FIRST_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Rows are kept so many days at least, unless they take more than `most_bytes` (0: no limit)."""

    days: int
    most_bytes: int = 0


KEPT: Final = RetentionPolicy(days=400)


class LogRetention(MaintenanceJob):
    """Of one log. `consumers` are all whose stored positions hold rows back; `faults` shows damage of the journal."""

    def __init__(
        self,
        journal: FieldJournal,
        clock: Clock,
        checkpoints: CheckpointSigner,
        *,
        retention: RetentionPolicy,
        consumers: tuple[str, ...],
        faults: DamageHandler,
    ) -> None:
        super().__init__(IntegrityInspector(journal, faults), FIRST_S)
        self._journal, self._clock, self._checkpoints = journal, clock, checkpoints
        self._retention, self._consumers = retention, consumers

    async def _trim(self) -> None:
        positions = await self._journal.positions()
        stored = min(positions.get(name, 0) for name in self._consumers)
        before = rfc3339(max(0, self._clock.utc().utc_ms - self._retention.days * DAY_MS))
        last = await self._journal.trim_boundary(stored, before, self._retention.most_bytes)
        if last is not None:
            gone = await self._journal.trim(self._checkpoints.sign(last.place, last.head, "trimmed"))
            _log.info("journal trimmed", rows=gone, up_to=f"{last.at.epoch}/{last.at.number}")


_WAITING = 64

_log = structlog.get_logger()


class ConsumerPositions:
    """Of one log. A position outside the log's ancestry is refused and named."""

    def __init__(self, journal: FieldJournal, names: Sequence[str]) -> None:
        self._journal, self._names = journal, frozenset(names)
        self.turns: WorkQueue[tuple[str, ConsumerPosition]] = WorkQueue(_WAITING, self._store)

    def on_position(self, consumer: str | None, said: ConsumerPosition) -> None:
        """A position came. One that does not fit the queue is said again by whoever says it."""
        if consumer in self._names and consumer is not None:
            self.turns.put((consumer, said))

    async def _store(self, heard: tuple[str, ConsumerPosition]) -> None:
        consumer, said = heard
        if said.at is None or said.hash is None:
            return
        place = await self._journal.locate(said.at, said.hash)
        if place is None:
            _log.warning("position refused", consumer=consumer, row=f"{said.at.epoch}/{said.at.number}")
            return
        with suppress(*TEMPORARY_ERRORS):
            if place > (await self._journal.positions()).get(consumer, 0):
                await self._journal.set_position(consumer, place)

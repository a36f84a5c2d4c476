"""Retention of a table's log: positions of its durable consumers, and hourly trimming.

Rows are trimmed that are old and stored by all consumers; a signed checkpoint takes their place. A row is trimmed only
when the next row announces a key, so that the judge can open every stored row. Threat: any client can publish a
position under its own name. Only names of the table file count, and no position moves backwards.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from pitwarden.field.log.epochs import CheckpointSigner
from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.maintenance import DamageHandler, IntegrityInspector, MaintenanceJob, oldest_kept
from pitwarden.system.clock import Clock
from pitwarden.system.tasks import WorkQueue
from pitwarden_client.events.status import ConsumerPosition

# Seconds from the start to the first round. By then the judge has reported its position.
FIRST_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Retention limits of a log."""

    days: int
    """Number of days that rows are stored at least, unless they exceed `most_bytes`."""
    most_bytes: int = 0
    """Size in bytes above which the oldest rows are trimmed early; 0 for no limit."""


KEPT: Final = RetentionPolicy(days=400)


class LogRetention(MaintenanceJob):
    """Maintenance of one log. Rows that one of `consumers` has not stored are not trimmed; `faults` receives damage."""

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
        before = oldest_kept(self._clock.utc(), self._retention.days)
        last = await self._journal.trim_boundary(stored, before, self._retention.most_bytes)
        if last is not None:
            deleted = await self._journal.trim(self._checkpoints.sign(last.place, last.head, "trimmed"))
            _log.info("journal trimmed", rows=deleted, up_to=f"{last.at.epoch}/{last.at.number}")


# Positions that wait to be stored. A consumer sends at most a few a second and repeats each; the rest is dropped.
_WAITING = 64

_log = structlog.get_logger()


class ConsumerPositions:
    """Positions of the durable consumers of one log. A position outside the log's lineage is refused and logged."""

    def __init__(self, journal: FieldJournal, names: Sequence[str]) -> None:
        self._journal, self._names = journal, frozenset(names)
        self.turns: WorkQueue[tuple[str, ConsumerPosition]] = WorkQueue(_WAITING, self._store)

    def on_position(self, consumer: str | None, position: ConsumerPosition) -> None:
        """Handle a received position. One that does not fit the queue is lost; its sender repeats it."""
        if consumer in self._names and consumer is not None:
            self.turns.put((consumer, position))

    async def _store(self, received: tuple[str, ConsumerPosition]) -> None:
        consumer, position = received
        if position.at is None or position.hash is None:
            return
        place = await self._journal.locate(position.at, position.hash)
        if place is None:
            _log.warning("position refused", consumer=consumer, row=f"{position.at.epoch}/{position.at.number}")
            return
        with suppress(*TEMPORARY_ERRORS):
            if place > (await self._journal.positions()).get(consumer, 0):
                await self._journal.set_position(consumer, place)

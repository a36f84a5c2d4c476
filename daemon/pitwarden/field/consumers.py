"""The durable consumers beside the judge: what they have stored is kept on our disk, so that nothing is trimmed early.

Anybody may say a position under his own name; only the names of the table file count, and none moves backwards.
"""

from collections.abc import Sequence
from contextlib import suppress

import structlog
from pitwarden_client.events.status import ConsumerPosition

from pitwarden.journal.errors import REFUSALS
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.system.tasks import Turns

_WAITING = 64

_log = structlog.get_logger()


class Consumers:
    """Of one log. A position outside the log's ancestry is refused and named."""

    def __init__(self, journal: FieldJournal, names: Sequence[str]) -> None:
        self._journal, self._names = journal, frozenset(names)
        self.turns: Turns[tuple[str, ConsumerPosition]] = Turns(_WAITING, self._store)

    def hear(self, consumer: str | None, said: ConsumerPosition) -> None:
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
        with suppress(*REFUSALS):
            if place > (await self._journal.positions()).get(consumer, 0):
                await self._journal.set_position(consumer, place)

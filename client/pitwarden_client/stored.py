"""Position up to which a consumer has stored the log, and when to publish it. No I/O; times are ms of one clock.

Threat: a position that no field half received. There is no reply to one, so the newest is published again.
"""

from typing import Final

from pitwarden_client.events.status import ConsumerPosition
from pitwarden_client.events.table import Head

BETWEEN_MS: Final = 1_000  # a consumer may commit thousands of times a second; the table trims once an hour
# Interval in ms at which an unchanged position is published again, because a table may have restarted.
REPEAT_MS: Final = 60_000


class StoredPosition:
    """Newest position that a consumer reported as stored, and its schedule. `due` returns what to publish now."""

    def __init__(self) -> None:
        self._head: Head | None = None
        self._published: Head | None = None
        self._at: int | None = None

    @property
    def pending(self) -> ConsumerPosition | None:
        """Newest position, if it was not published yet."""
        return None if self._head is None or self._head == self._published else self._message(self._head)

    def stored(self, head: Head | None) -> None:
        """Record that all rows up to `head` are stored; None, a position before the first row, changes nothing."""
        self._head = head or self._head

    def link_up(self) -> None:
        """Record that the link is up again: what was published before may be lost."""
        self._published = self._at = None

    def due(self, now: int) -> ConsumerPosition | None:
        """Return the position to publish now, and count it as published; None when there is none."""
        wait = REPEAT_MS if self._head == self._published else BETWEEN_MS
        if self._head is None or (self._at is not None and now < self._at + wait):
            return None
        self._published, self._at = self._head, now
        return self._message(self._head)

    @staticmethod
    def _message(head: Head) -> ConsumerPosition:
        return ConsumerPosition(at=head.at, hash=head.hash)

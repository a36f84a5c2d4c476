"""Go-back-N sender of log rows from a field half to its judge. No I/O.

Rows are places in the journal (1, 2, ...), and time is an argument. Rows are sent in order until the judge has stored
them; a broker's acknowledgement counts for nothing here.

Threat: a broker that loses messages, a link that comes and goes, and a judge that restarts.
"""

from dataclasses import dataclass
from typing import Final

WINDOW: Final = 200  # rows on the way to the judge at most
# Time in ms without a position of the judge after which rows are sent again. It doubles up to MAX_STALL_MS.
STALL_MS: Final = 1_000
MAX_STALL_MS: Final = 30_000  # the judge may be offline for hours
# Time in ms until a row that the broker refused is sent again: a person must change the access list first.
REFUSED_MS: Final = 5_000


@dataclass(frozen=True, slots=True)
class SendBatch:
    """Request to send `limit` rows after place `after`."""

    after: int
    limit: int


class LogSender:
    """Go-back-N state of one journal and one judge.

    The owner reports events, requests the next `batch`, and calls again at `wake_at`. Times are monotonic ms.
    """

    def __init__(self, head: int, stored: int = 0, window: int = WINDOW) -> None:
        """Start at place `head` of the last committed row and at `stored`, the judge's last known position."""
        self.head, self.stored, self._window = head, stored, window
        self.refused = False
        self._sent = stored
        self._up = False
        self._stall = STALL_MS
        self._deadline = 0
        self._not_before = 0

    @property
    def lag(self) -> int:
        """Number of committed rows that the judge has not reported as stored."""
        return self.head - self.stored

    def committed(self, head: int) -> None:
        """Record that the journal now ends at place `head`."""
        self.head = head

    def link(self, *, up: bool) -> None:
        """Record a change of the link. Rows that were under way may be lost."""
        self._up = up
        self._sent = self.stored

    def on_position(self, place: int, *, hello: bool, now: int) -> None:
        """Record that the judge has stored all rows up to `place` (0: none).

        After `hello` it starts there, even if that is less.
        """
        if hello:
            # A judge that starts with an older copy of its journal names an older position; the rows after it are sent
            # again.
            self.stored = self._sent = place
        elif place > self.stored:
            self.stored, self._sent = place, max(place, self._sent)
        else:
            return
        self.refused = False
        self._stall, self._not_before = STALL_MS, now
        self._deadline = now + self._stall

    def refuse(self, place: int, now: int) -> None:
        """Record that the broker refused the row at `place`. It is sent again, slowly, until the judge has it."""
        self.refused = True
        self._sent = min(self._sent, place - 1)
        self._not_before = now + REFUSED_MS

    def batch(self, now: int) -> SendBatch | None:
        """Return the rows to send now, or None when there are none before `wake_at`. Call `sent` afterwards."""
        if not self._up or now < self._not_before:
            return None
        if self._sent > self.stored and now >= self._deadline:
            self._sent = self.stored
            self._stall = min(2 * self._stall, MAX_STALL_MS)
        limit = min(self.head, self.stored + self._window) - self._sent
        return SendBatch(self._sent, limit) if limit > 0 else None

    def sent(self, place: int, now: int) -> None:
        """Record that all rows up to `place` were passed to the link."""
        if self._sent == self.stored:
            self._deadline = now + self._stall
        self._sent = max(self._sent, place)

    def wake_at(self, now: int) -> int | None:
        """Return the time of the next `batch` if nothing happens before; None when none is needed."""
        if not self._up or self.head == self.stored:
            return None
        if now < self._not_before:
            return self._not_before
        return self._deadline if self._sent > self.stored else now

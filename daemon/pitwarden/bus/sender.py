"""The field half's end of the log: sends rows until the judge has stored them, in order, going back when it must.

No I/O: rows are places in the journal (1, 2, ...), time is an argument. A broker's acknowledgement counts for nothing
here. The adversary is a broker that forgets, a link that comes and goes, and a judge that restarts.
"""

from dataclasses import dataclass
from typing import Final

WINDOW: Final = 200  # rows on the way to the judge at most
STALL_MS: Final = 1_000
MAX_STALL_MS: Final = 30_000  # nobody may be listening for hours
REFUSED_MS: Final = 5_000


@dataclass(frozen=True, slots=True)
class SendBatch:
    """Send the rows behind place `after`, `limit` of them."""

    after: int
    limit: int


class LogSender:
    """Go back N over one journal for one judge. Feed it what happens; ask `batch` what to send and `wake_at` when."""

    def __init__(self, head: int, stored: int = 0, window: int = WINDOW) -> None:
        """`head` is the place of the last committed row, `stored` the judge's last known position."""
        self.head, self.stored, self._window = head, stored, window
        self.refused = False
        self._sent = stored
        self._up = False
        self._stall = STALL_MS
        self._deadline = 0
        self._not_before = 0

    @property
    def lag(self) -> int:
        """How many committed rows the judge has not said to have stored."""
        return self.head - self.stored

    def committed(self, head: int) -> None:
        """The journal ends at place `head` now."""
        self.head = head

    def link(self, *, up: bool) -> None:
        """The link came or went: what was on the way may be gone."""
        self._up = up
        self._sent = self.stored

    def on_position(self, place: int, *, hello: bool, now: int) -> None:
        """The judge has stored all up to `place` (0: nothing). `hello`: it starts there, even if that is less."""
        if hello:
            self.stored = self._sent = place
        elif place > self.stored:
            self.stored, self._sent = place, max(place, self._sent)
        else:
            return
        self.refused = False
        self._stall, self._not_before = STALL_MS, now
        self._deadline = now + self._stall

    def refuse(self, place: int, now: int) -> None:
        """The broker refused the row at `place`: it is sent again, slowly, until the judge has it."""
        self.refused = True
        self._sent = min(self._sent, place - 1)
        self._not_before = now + REFUSED_MS

    def batch(self, now: int) -> SendBatch | None:
        """What to send now; call `sent` after it. None when there is nothing to do before `wake_at`."""
        if not self._up or now < self._not_before:
            return None
        if self._sent > self.stored and now >= self._deadline:
            self._sent = self.stored
            self._stall = min(2 * self._stall, MAX_STALL_MS)
        limit = min(self.head, self.stored + self._window) - self._sent
        return SendBatch(self._sent, limit) if limit > 0 else None

    def sent(self, place: int, now: int) -> None:
        """All rows up to `place` were handed to the link."""
        if self._sent == self.stored:
            self._deadline = now + self._stall
        self._sent = max(self._sent, place)

    def wake_at(self, now: int) -> int | None:
        """When to ask again if nothing happens before; None for not at all."""
        if not self._up or self.head == self.stored:
            return None
        if now < self._not_before:
            return self._not_before
        return self._deadline if self._sent > self.stored else now

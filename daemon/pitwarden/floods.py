"""Keeps one kind of line from filling the journal (B40): the first are written, the rest counted and summed up.

systemd drops what comes too fast without a word, and other services' lines with it.
"""

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

import structlog

WINDOW_MS: Final = 300_000
MOST_LINES: Final = 20
SUPPRESSED: Final = "log lines suppressed"


@dataclass(slots=True)
class _Window:
    since_ms: int
    lines: int = 1

    @property
    def suppressed(self) -> int:
        return max(self.lines - MOST_LINES, 0)


class Floods:
    """A structlog processor. A line's kind is its event, which the code names, and its level; `now_ms` is monotonic."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._windows: dict[tuple[str, str], _Window] = {}

    def __call__(self, _logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """The line, or DropEvent; first, what was suppressed in windows that are over."""
        now = self._now_ms()
        self._sum_up(now)
        kind = str(event.get("event", "")), str(event.get("level", ""))
        window = self._windows.setdefault(kind, _Window(now, 0))
        window.lines += 1
        if window.lines > MOST_LINES:
            raise structlog.DropEvent
        return event

    def _sum_up(self, now: int) -> None:
        over = [kind for kind, window in self._windows.items() if now - window.since_ms >= WINDOW_MS]
        ended = {kind: self._windows.pop(kind).suppressed for kind in over}
        for (words, _), suppressed in ended.items():
            if suppressed:
                structlog.get_logger().warning(SUPPRESSED, kind=words, lines=suppressed, seconds=WINDOW_MS // 1_000)

"""Structured logs that never break the work: a bounded queue, a thread of its own, and a count of what did not fit.

The adversary is a log reader that stops reading: the data path must not feel it.
"""

import logging
import os
import queue
import threading
from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any, Final

import structlog

from pitwarden.clock import SystemClock
from pitwarden.floods import Floods
from pitwarden.journald import as_fields, journal_socket

if TYPE_CHECKING:
    from structlog.typing import Processor

QUEUE_LINES: Final = 2_000
_CLOSE_S: Final = 1.0


class LogWriter:
    """Writes lines to a file descriptor from a thread. A full queue drops the line and counts it."""

    def __init__(self, descriptor: int, end: bytes = b"\n") -> None:
        self._descriptor, self._end = descriptor, end
        self._lines: queue.Queue[bytes | None] = queue.Queue(QUEUE_LINES)
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="log writer", daemon=True)
        self._thread.start()

    def msg(self, line: str) -> None:
        """Queues one line."""
        try:
            self._lines.put_nowait(line.encode("utf-8", "backslashreplace") + self._end)
        except queue.Full:
            self.dropped += 1

    debug = info = warning = error = critical = exception = msg

    def close(self) -> None:
        """Writes what is queued, for at most a second."""
        try:
            self._lines.put(None, timeout=_CLOSE_S)
        except queue.Full:
            return
        self._thread.join(_CLOSE_S)

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                os.write(self._descriptor, line)
            except OSError:
                self.dropped += 1


def set_up(descriptor: int = 2, level: str = "info", now_ms: Callable[[], int] | None = None) -> LogWriter:
    """Sends structlog's lines to `descriptor` (standard error) as JSON, or as fields where that is the journal's.

    The writer is returned to be closed.
    """
    journal = journal_socket(descriptor, os.environ)
    writer = LogWriter(descriptor if journal is None else journal, b"\n" if journal is None else b"")
    shown: list[Processor] = [as_fields] if journal is not None else [
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.JSONRenderer(ensure_ascii=True),
    ]  # fmt: skip
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            Floods(now_ms or SystemClock().mono_ms),
            _renderable,
            *shown,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_names: writer,
        cache_logger_on_first_use=False,
    )
    logging.getLogger().addHandler(logging.NullHandler())
    return writer


def _renderable(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Every field as something that JSON knows; a repr that raises costs its field, not the line."""
    for key, value in event.items():
        if isinstance(value, bytes):
            event[key] = value.hex()
        elif not isinstance(value, str | int | bool | None):
            try:
                event[key] = str(value)
            except Exception as error:  # noqa: BLE001  whatever a field's __str__ raises must not reach the data path
                event[key] = f"<{type(error).__name__} in {type(value).__name__}>"
    return event

"""structlog set-up: bounded writer thread, rate limit for each event, systemd journal protocol.

Lines go through a bounded queue to a thread of their own; lines that do not fit are counted. The rate limit (B40)
writes the first lines of a kind and counts the rest: systemd discards what arrives too fast without a trace, and lines
of other services with it.

The journal protocol takes one datagram for each line, whose fields `journalctl FIELD=value` can select. The maintained
clients for it are bindings to libsystemd, a C library in the process that holds the keys; the protocol is one socket.

Threat: a reader of the log that stops reading. It must not delay the data path.
"""

import logging
import os
import queue
import re
import socket
import threading
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import structlog

from pitwarden.system.clock import SystemClock
from pitwarden_client.events.hidden_text import escape_hidden

if TYPE_CHECKING:
    from structlog.typing import Processor


# Time in ms in which lines of one kind are counted.
WINDOW_MS: Final = 300_000
# Lines of one kind in one window. Further ones are counted in `log lines suppressed`.
MOST_LINES: Final = 20
SUPPRESSED: Final = "log lines suppressed"


@dataclass(slots=True)
class _Window:
    since_ms: int
    lines: int = 1

    @property
    def suppressed(self) -> int:
        return max(self.lines - MOST_LINES, 0)


class LogRateLimiter:
    """structlog processor.

    The kind of a line is its event, a constant of the code, and its level; `now_ms` is monotonic.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._windows: dict[tuple[str, str], _Window] = {}

    def __call__(self, _logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """Return the line, or raise DropEvent. Windows that ended are summed up first."""
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


SOCKET: Final = Path("/run/systemd/journal/socket")
_PRIORITY: Final = {"debug": 7, "info": 6, "warning": 4, "error": 3, "critical": 2}
_UNFIT: Final = re.compile(r"[^A-Z0-9_]")
# Characters of a field's name: systemd accepts 64; the prefix is included here.
_MAX_NAME: Final = 50


def open_journald_socket(descriptor: int, environment: Mapping[str, str], address: Path = SOCKET) -> int | None:
    """Return a socket to the journal if `descriptor` leads there (systemd.exec(5), JOURNAL_STREAM); else None."""
    found = os.fstat(descriptor)
    if environment.get("JOURNAL_STREAM") != f"{found.st_dev}:{found.st_ino}":
        return None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as journal:
            journal.connect(str(address))
            return journal.detach()
    except OSError:
        return None  # the stream still leads there


def to_journald_fields(_logger: object, _method: str, event: MutableMapping[str, Any]) -> str:
    """Return a line as the journal's fields: MESSAGE, PRIORITY, and each field as PITWARDEN_<NAME>."""
    level = str(event.pop("level", "info"))
    words = str(event.pop("event", ""))
    said = [words, *(f"{key}={value}" for key, value in event.items())]
    fields = {"MESSAGE": " ".join(said), "PRIORITY": str(_PRIORITY.get(level, 6)), "SYSLOG_IDENTIFIER": "pitwarden"}
    fields["PITWARDEN_EVENT"] = words
    fields |= {_name(key): str(value) for key, value in event.items()}
    return "".join(f"{name}={_one_line(value)}\n" for name, value in fields.items())


def _name(key: str) -> str:
    return ("PITWARDEN_" + _UNFIT.sub("_", key.upper()))[:_MAX_NAME]


def _one_line(value: str) -> str:
    """Return the value without line ends and hidden characters.

    The protocol ends a value at a line end, and a forged field must not begin there.
    """
    return escape_hidden(value.replace("\n", "\\n"))


# Lines that wait for a slow system journal. Further ones are dropped, so that no log line delays a card.
QUEUE_LINES: Final = 2_000
# Seconds that a stop waits for the last lines, once for the queue and once for the thread.
_CLOSE_S: Final = 1.0


class LogWriter:
    """Writer of lines to a file descriptor, in a thread. A full queue drops the line and counts it."""

    def __init__(self, descriptor: int, end: bytes = b"\n") -> None:
        self._descriptor, self._end = descriptor, end
        self._lines: queue.Queue[bytes | None] = queue.Queue(QUEUE_LINES)
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="log writer", daemon=True)
        self._thread.start()

    def msg(self, line: str) -> None:
        """Enqueue one line."""
        try:
            self._lines.put_nowait(line.encode("utf-8", "backslashreplace") + self._end)
        except queue.Full:
            self.dropped += 1

    debug = info = warning = error = critical = exception = msg

    def close(self) -> None:
        """Write what is queued, for at most a second."""
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


def configure_logging(descriptor: int = 2, level: str = "info", now_ms: Callable[[], int] | None = None) -> LogWriter:
    """Send structlog's lines to `descriptor` (standard error), as JSON, or as fields where that is the journal's.

    Returns:
        The writer, which the caller closes.
    """
    journal = open_journald_socket(descriptor, os.environ)
    writer = LogWriter(descriptor if journal is None else journal, b"\n" if journal is None else b"")
    shown: list[Processor] = [to_journald_fields] if journal is not None else [
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.JSONRenderer(ensure_ascii=True),
    ]  # fmt: skip
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            LogRateLimiter(now_ms or SystemClock().mono_ms),
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
    """Convert every field to a type of JSON. A repr that raises costs its field, not the line."""
    for key, value in event.items():
        if isinstance(value, bytes):
            event[key] = value.hex()
        elif not isinstance(value, str | int | bool | None):
            try:
                event[key] = str(value)
            except Exception as error:  # noqa: BLE001  whatever a field's __str__ raises must not reach the data path
                event[key] = f"<{type(error).__name__} in {type(value).__name__}>"
    return event

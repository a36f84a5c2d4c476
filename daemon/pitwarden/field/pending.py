"""What waits for its number in the table's log, and who is told when it has one."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import TableEvent

from pitwarden_drivers.api import Said

Plain = Said | InputLogged | TableEvent
Committed = Callable[[LogEvent], None]


@dataclass(frozen=True, slots=True)
class Pending:
    """One thing to be logged. `boot` and `counter` are the device's own; `done` runs in the loop after the commit."""

    source: str
    said: Plain = field(repr=False)
    boot: int = 0
    counter: int = 0
    done: Committed | None = None


class RowSink(Protocol):
    """Log of a table, for those who have something to log."""

    def offer(self, pending: Pending) -> bool:
        """Queue `pending`; False where too many wait, and it was not taken."""
        ...


class LogTime(Protocol):
    """Clock of a table's log."""

    def log_ms(self) -> int:
        """Return log time now, in ms; it never runs back."""
        ...

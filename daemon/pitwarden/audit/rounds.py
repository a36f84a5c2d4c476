"""Rounds of play in a log, counted as the dealer keys them, and what stands in one of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputLogged

from pitwarden.audit.reading import Row


@dataclass
class Stretch:
    """Rows that belong together: one round with what follows it, or (number 0) what stands before the first."""

    number: int
    rows: list[Row] = field(default_factory=list)
    events: list[LogEvent] = field(default_factory=list)

    def holds(self, at: Position) -> bool:
        """Whether row `at` is one of these."""
        return any(row.at == at for row in self.rows)


def rounds(rows: Iterable[Row]) -> Iterator[Stretch]:
    """The log cut before each `kp.boxes`. A row that cannot be read stays where it is, without an event."""
    stretch = Stretch(0)
    for row in rows:
        event = readable(row.body)
        if event is not None and act_of(event) == "kp.boxes":
            if stretch.rows:
                yield stretch
            stretch = Stretch(stretch.number + 1)
        stretch.rows.append(row)
        if event is not None:
            stretch.events.append(event)
    if stretch.rows:
        yield stretch


def readable(body: bytes) -> LogEvent | None:
    """The row in `body`, None when it is none."""
    try:
        return decode(LogEvent, body)
    except BadPayloadError:
        return None


def act_of(event: LogEvent) -> str:
    """Which input an event is; empty for what a device or the daemon says."""
    return event.data.act.act if isinstance(event.data, InputLogged) else ""

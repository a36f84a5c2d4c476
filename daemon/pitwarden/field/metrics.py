"""Metrics of a field half: commit time of its rows, refusals, and withheld time."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Final

from pitwarden.field.log.permit import PermitDisplay, WithheldTime
from pitwarden.metrics.families import (
    COMMIT,
    DEVICE,
    GRANTED,
    LINE_REJECTED,
    REJECTED,
    ROWS,
    STATE_HEARD,
    STORED,
    WITHHELD,
)
from pitwarden.metrics.meter import Sample, TableMeter
from pitwarden_client.events.base import Position
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.status import DeviceStatus
from pitwarden_drivers.api import LineStats

# Rows whose time to the judge's state is measured. Of a longer backlog, only the newest rows are.
TIMED_ROWS: Final = 1_000
_STATES: Final = ("online", "stale", "lost")
_LINE_KINDS: Final = ("frames_rejected", "stray_replies", "duplicates")


class FieldMetrics:
    """Metrics of one table's field half, counted in `meter`. Times are log time in ms."""

    def __init__(self, meter: TableMeter, permit: PermitDisplay, epoch: str, now_ms: int) -> None:
        self._meter, self._permit, self._epoch = meter, permit, epoch
        self._withheld = WithheldTime(now_ms)
        self._withheld.update(permit.reasons, now_ms)
        self._unjudged: deque[tuple[int, int]] = deque(maxlen=TIMED_ROWS)
        self._waited: list[int] = []

    def stored_ms(self, took: int) -> None:
        """Observe the time in ms from the commit of a row until the judge had stored it."""
        self._meter.observe_ms(STORED, took)

    def logged(self, row: LogEvent, waited_ms: int, now_ms: int) -> None:
        """Record a committed row, which waited `waited_ms` for its commit."""
        self._waited.append(waited_ms)
        self._unjudged.append((row.tableseq, now_ms))

    def add_up(self, now_ms: int) -> None:
        """Count the rows since the previous call, and update the withheld time."""
        waited, self._waited = self._waited, []
        self._meter.count(ROWS, by=len(waited))
        for each in waited:
            self._meter.observe_ms(COMMIT, each)
        self.update_withheld(now_ms)

    def on_state(self, as_of: Position, now_ms: int) -> None:
        """Handle a received state of the judge, after the permit followed it."""
        while as_of.epoch == self._epoch and self._unjudged and self._unjudged[0][0] <= as_of.number:
            self._meter.observe_ms(STATE_HEARD, now_ms - self._unjudged.popleft()[1])
        self.update_withheld(now_ms)

    def refused(self, where: str, kind: str) -> None:
        """Count a refused message of the bus."""
        self._meter.count(REJECTED, where, kind)

    def update_withheld(self, now_ms: int) -> None:
        """Add up the withheld time until `now_ms`, by reason."""
        self._withheld.update(self._permit.reasons, now_ms)

    def permit(self, now_ms: int) -> Iterator[Sample]:
        """Yield the displayed permit, and for how long it was withheld."""
        self.update_withheld(now_ms)
        yield Sample(GRANTED, not self._permit.reasons)
        yield from (Sample(WITHHELD, seconds, (reason,)) for reason, seconds in self._withheld.seconds.items())


def device_samples(statuses: Mapping[str, DeviceStatus], lines: Mapping[str, LineStats]) -> Iterator[Sample]:
    """Yield the state of each device, and what was rejected on its line."""
    for name, status in statuses.items():
        yield from (Sample(DEVICE, status.state == state, (name, state)) for state in _STATES)
    for name, stats in lines.items():
        thrown = asdict(stats)
        yield from (Sample(LINE_REJECTED, thrown[kind], (name, kind)) for kind in _LINE_KINDS)

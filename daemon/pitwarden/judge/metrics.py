"""Metrics of the judge half of one table: verdict time, refusals, outputs, open irregularities and duties."""

from collections.abc import Iterable, Iterator

from pitwarden.judge.outputs import ChainedOutput
from pitwarden.metrics.families import DUTIES, IRREGULARITIES, JUDGED, OUTPUTS, REJECTED, VERDICT
from pitwarden.metrics.meter import Sample, TableMeter
from pitwarden_client.chain.receiver import LogReceiver
from pitwarden_client.events.codec import decode
from pitwarden_client.events.outputs import TableState


class JudgeMetrics:
    """Metrics of the judge half of one table."""

    def __init__(self, meter: TableMeter) -> None:
        self._meter = meter
        self._duplicates = self._overflowed = 0

    def refused(self, kind: str) -> None:
        """Count a message of the log that was refused."""
        self._meter.count(REJECTED, "row", kind)

    def on_received(self, receiver: LogReceiver) -> None:
        """Count the duplicates and overflows of `receiver` since the previous call."""
        if receiver.duplicates > self._duplicates:
            self._meter.count(REJECTED, "row", "duplicate", by=receiver.duplicates - self._duplicates)
        if receiver.overflowed > self._overflowed:
            self._meter.count(REJECTED, "row", "queue_full", by=receiver.overflowed - self._overflowed)
        self._duplicates, self._overflowed = receiver.duplicates, receiver.overflowed

    def judged(self, rows: int, said: Iterable[ChainedOutput]) -> None:
        """Count judged rows and their outputs."""
        self._meter.count(JUDGED, by=rows)
        for each in said:
            self._meter.count(OUTPUTS, each.event.data.kind)

    def committed(self, arrived_ms: Iterable[int], now_ms: int) -> None:
        """Observe the verdict time of committed rows, from their arrival in monotonic ms."""
        for at in arrived_ms:
            self._meter.observe_ms(VERDICT, now_ms - at)


def state_samples(state: bytes | None) -> Iterator[Sample]:
    """Yield the numbers of irregularities and overdue duties; none before the first row was judged."""
    if state is None:
        return
    told = decode(TableState, state)
    yield Sample(IRREGULARITIES, len(told.irregularities))
    yield Sample(DUTIES, sum(duty.status == "overdue" for duty in told.duties))

"""Counters, histograms, and the gauges that both halves share: link, faults, queues, journal, disk, clock.

This is the only file that imports the Prometheus client.
"""

import shutil
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from pitwarden.bus.link import Link
from pitwarden.metrics.families import (
    ALL,
    BOUNDS_S,
    CLOCK,
    CLOCK_ERROR,
    DISK_FREE,
    FAULT,
    JOURNAL,
    LINK,
    LINK_ADDRESS,
    QUEUE,
    QUEUE_LIMIT,
    MetricFamily,
)
from pitwarden.system.clock import Clock

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
_PUSHED: Final = {"counter": Counter, "histogram": Histogram}
_BEYOND_S: Final = 2 * BOUNDS_S[-1]

disable_created_metrics()  # type: ignore[no-untyped-call]  # a switch of theirs; the start of a series is of no use


@dataclass(frozen=True, slots=True)
class Sample:
    """Current value of a family; `labels` follow the table's name."""

    family: MetricFamily
    value: float
    labels: tuple[str, ...] = ()


Source = Callable[[], Iterable[Sample]]


class Meter:
    """Metrics of one process. Not thread-safe."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._pushed: dict[str, Counter | Histogram] = {}
        self._sources: list[tuple[tuple[str, ...], Source]] = []
        self._registry.register(_Readings(self._sources))

    def count(self, family: MetricFamily, *labels: str, by: int = 1) -> None:
        """Increment a counter."""
        counter = self._of(family)
        if isinstance(counter, Counter):
            (counter.labels(*labels) if labels else counter).inc(by)

    def observe(self, family: MetricFamily, seconds: float, *labels: str) -> None:
        """Record a measured time. Only its bucket is stored."""
        histogram = self._of(family)
        if isinstance(histogram, Histogram):
            place = bisect_left(BOUNDS_S, seconds)
            # The exact time would end up in the histogram's sum, where the difference of two scrapes would disclose it.
            kept = BOUNDS_S[place] if place < len(BOUNDS_S) else _BEYOND_S
            (histogram.labels(*labels) if labels else histogram).observe(kept)

    def watch(self, source: Source, table: str = "") -> None:
        """Read `source` at every scrape; `table` is the label that its samples lack."""
        self._sources.append(((table,) if table else (), source))

    def forget(self, table: str) -> None:
        """Stop reading the sources of this table. Its counters stay."""
        self._sources[:] = [(labels, source) for labels, source in self._sources if labels != (table,)]

    def remove(self, table: str) -> None:
        """Stop reading the sources of a table that is not served here any more, and remove its counters."""
        self.forget(table)
        for family in ALL:
            if family.name in self._pushed and not family.of_process:
                self._pushed[family.name].remove_by_labels({"table": table})

    def text(self) -> bytes:
        """Return all current values in Prometheus' text format."""
        return generate_latest(self._registry)

    def _of(self, family: MetricFamily) -> Counter | Histogram:
        known = self._pushed.get(family.name)
        if known is None:
            known = self._pushed[family.name] = self._made(family)
        return known

    def _made(self, family: MetricFamily) -> Counter | Histogram:
        if family.kind == "histogram":
            return Histogram(family.name, family.words, family.all_labels, buckets=BOUNDS_S, registry=self._registry)
        return Counter(family.name, family.words, family.all_labels, registry=self._registry)


class TableMeter:
    """Part of a meter for one table, by its name `site/table`."""

    def __init__(self, meter: Meter, table: str) -> None:
        self._meter, self._table = meter, table

    def count(self, family: MetricFamily, *labels: str, by: int = 1) -> None:
        """Increment a counter of this table."""
        self._meter.count(family, self._table, *labels, by=by)

    def observe_ms(self, family: MetricFamily, milliseconds: int, *labels: str) -> None:
        """Record a time that was measured at this table."""
        self._meter.observe(family, milliseconds / 1_000, self._table, *labels)

    def watch(self, source: Source) -> None:
        """Read `source` at every scrape."""
        self._meter.watch(source, self._table)


class _Readings(Collector):
    """Collector of the samples that the sources return at a scrape, by family."""

    def __init__(self, sources: list[tuple[tuple[str, ...], Source]]) -> None:
        self._sources = sources

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterator[Metric]:
        made: dict[str, GaugeMetricFamily | CounterMetricFamily] = {}
        for table, source in self._sources:
            for reading in source():
                family = reading.family
                if family.name not in made:
                    kind = GaugeMetricFamily if family.kind == "gauge" else CounterMetricFamily
                    made[family.name] = kind(family.name, family.words, labels=family.all_labels)
                made[family.name].add_metric([*table, *reading.labels], reading.value)
        yield from (made[family.name] for family in ALL if family.name in made)


def journal_samples(half: str, path: Path) -> Iterator[Sample]:
    """Yield the size of the journal at `path` and the free space of its disk; nothing when they cannot be read."""
    try:
        size = sum(part.stat().st_size for part in (path, path.with_name(f"{path.name}-wal")) if part.exists())
        free = shutil.disk_usage(path.parent).free
    except OSError:
        return
    yield Sample(JOURNAL, size, (half,))
    yield Sample(DISK_FREE, free, (half,))


def clock_samples(clock: Clock) -> Iterator[Sample]:
    """Yield the kernel's estimate of UTC."""
    utc = clock.utc()
    yield Sample(CLOCK, utc.synchronised)
    yield Sample(CLOCK_ERROR, utc.error_ms / 1_000)


def half_samples(half: str, link: Link, *, faults: Iterable[str]) -> Iterator[Sample]:
    """Yield the state of the link, at which of its addresses it is up, and the faults in the status."""
    yield Sample(LINK, link.up, (half,))
    yield from (Sample(LINK_ADDRESS, str(each) == link.address, (half, str(each))) for each in link.broker.addresses)
    # The detail after the name is free text: as a label it would make series without end.
    yield from (Sample(FAULT, 1, (half, name)) for name in sorted({fault.partition(":")[0] for fault in faults}))


def queue_samples(depths: Mapping[str, tuple[int, int]]) -> Iterator[Sample]:
    """Yield the depth and the limit of each queue."""
    for queue, (depth, most) in depths.items():
        yield Sample(QUEUE, depth, (queue,))
        yield Sample(QUEUE_LIMIT, most, (queue,))

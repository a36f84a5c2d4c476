"""Readings that both halves have: link, faults, queues, journal, disk, clock."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pitwarden.metrics.families import CLOCK, CLOCK_ERROR, DISK_FREE, FAULT, JOURNAL, LINK, QUEUE, QUEUE_LIMIT
from pitwarden.metrics.meter import Reading
from pitwarden.system.clock import Clock


def of_journal(half: str, path: Path) -> Iterator[Reading]:
    """The journal at `path` and its disk; nothing where neither can be looked at."""
    try:
        size = sum(part.stat().st_size for part in (path, path.with_name(f"{path.name}-wal")) if part.exists())
        free = shutil.disk_usage(path.parent).free
    except OSError:
        return
    yield Reading(JOURNAL, size, (half,))
    yield Reading(DISK_FREE, free, (half,))


def of_clock(clock: Clock) -> Iterator[Reading]:
    """What the kernel says of UTC."""
    utc = clock.utc()
    yield Reading(CLOCK, utc.synchronised)
    yield Reading(CLOCK_ERROR, utc.error_ms / 1_000)


def of_half(half: str, *, linked: bool, faults: Iterable[str]) -> Iterator[Reading]:
    """The link, and what the status shows."""
    yield Reading(LINK, linked, (half,))
    yield from (Reading(FAULT, 1, (half, fault)) for fault in faults)


def of_queues(depths: Mapping[str, tuple[int, int]]) -> Iterator[Reading]:
    """How much waits in each queue, and how much may."""
    for queue, (depth, most) in depths.items():
        yield Reading(QUEUE, depth, (queue,))
        yield Reading(QUEUE_LIMIT, most, (queue,))

"""Medians with distribution-free intervals, and ratios of figures that were measured in turn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

_Z: Final = 1.96
_RESAMPLES: Final = 1_000


@dataclass(frozen=True, slots=True)
class Spread:
    """Median with its 95 % interval, and the 99th percentile."""

    median: float
    low: float
    high: float
    p99: float
    count: int

    def __str__(self) -> str:
        return f"{self.median:.4g} [{self.low:.4g}, {self.high:.4g}] p99 {self.p99:.4g} (n {self.count})"


def spread(figures: Sequence[float]) -> Spread:
    """Return the spread of at least one figure, the interval by order statistics."""
    ordered, count = sorted(figures), len(figures)
    half = _Z * math.sqrt(count) / 2
    low, high = math.floor((count - 1) / 2 - half), math.ceil((count - 1) / 2 + half)
    return Spread(
        quantile(ordered, 0.5), ordered[max(0, low)], ordered[min(count - 1, high)], quantile(ordered, 0.99), count
    )


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Spread:
    """Return the ratio of the medians, its interval by resampling with a fixed seed.

    `p99` is the ratio of the percentiles.
    """
    draws, made = Random(1), list[float]()
    for _ in range(_RESAMPLES):
        one, other = (quantile(sorted(draws.choices(each, k=len(each))), 0.5) for each in (ours, theirs))
        made.append(one / other)
    made.sort()
    mine, base = spread(ours), spread(theirs)
    return Spread(
        mine.median / base.median, quantile(made, 0.025), quantile(made, 0.975), mine.p99 / base.p99, len(ours)
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which `share` of the ordered values are, interpolated; not a number for none."""
    if not ordered:
        return math.nan
    place = share * (len(ordered) - 1)
    at, rest = math.floor(place), place - math.floor(place)
    above = ordered[min(at + 1, len(ordered) - 1)]
    return ordered[at] + rest * (above - ordered[at])

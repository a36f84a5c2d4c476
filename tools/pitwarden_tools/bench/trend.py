"""Straight lines through measured points, with the interval of their slope."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_Z: Final = 1.96


@dataclass(frozen=True, slots=True)
class Trend:
    """Line y = `start` + `slope` * x, by least squares; `low` and `high`: the slope's 95 % interval."""

    start: float
    slope: float
    low: float
    high: float

    def at(self, x: float) -> float:
        """Return the value at `x`."""
        return self.start + self.slope * x

    def flat(self) -> bool:
        """Return whether the slope may be zero, or less."""
        return self.low <= 0


def trend(points: Sequence[tuple[float, float]]) -> Trend:
    """Return the line through at least one point. Through one alone it starts at the origin."""
    count = len(points)
    mean_x, mean_y = (sum(each) / count for each in zip(*points, strict=True))
    square = sum((x - mean_x) ** 2 for x, _ in points)
    if not square:
        slope = mean_y / mean_x if mean_x else 0.0
        return Trend(0.0, slope, slope, slope)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / square
    start = mean_y - slope * mean_x
    left = sum((y - start - slope * x) ** 2 for x, y in points)
    half = _Z * math.sqrt(left / max(1, count - 2) / square)
    return Trend(start, slope, slope - half, slope + half)

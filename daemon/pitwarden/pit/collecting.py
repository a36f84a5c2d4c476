"""Python's search for cycles, for a process that keeps millions of objects and makes hardly any cycle.

Whatever a row leaves behind goes with its last reference. Searching as often as a small program does took a sixth of
the processor at 600 tables, and each whole search kept every table waiting.
"""

import gc
from typing import Final

_THRESHOLDS: Final = (20_000, 20, 100)  # objects, searches of the young, searches of the middle


def seldom() -> None:
    """Searches when much is new, and the whole seldom."""
    gc.set_threshold(*_THRESHOLDS)


def stands() -> None:
    """What is there now stays: it is not searched any more."""
    gc.freeze()

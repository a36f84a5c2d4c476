"""Waiting for something to become true, without a wait of a guessed length."""

import asyncio
from collections.abc import Callable

PATIENCE_S = 60.0
"""So long a test waits for what must come. It is no measure: a starved machine is late, what never comes is wrong."""


async def until(condition: Callable[[], object], *, pause: float = 0.0) -> None:
    """Lets the loop run until `condition` holds, bounded by the test's timeout; `pause` (s) spares other processes."""
    while not condition():  # noqa: ASYNC110  what is waited for happens in other code, threads, processes
        await asyncio.sleep(pause)

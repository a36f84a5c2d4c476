"""Waiting for a condition, without a guessed length."""

import asyncio
from collections.abc import Callable

PATIENCE_S = 60.0
"""Seconds that a test waits for an event that must happen. It measures nothing: a busy machine may be late."""


async def until(condition: Callable[[], object], *, pause: float = 0.0) -> None:
    """Let the loop run until `condition` holds, bounded by the test's timeout; `pause` (s) spares other processes."""
    while not condition():  # noqa: ASYNC110  other code, threads or processes make the condition true
        await asyncio.sleep(pause)

"""Waiting for something to become true, without a wait of a guessed length."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], *, pause: float = 0.0) -> None:
    """Lets the loop run until `condition` holds; the test's own timeout bounds it. `pause` spares the other processes."""
    while not condition():
        await asyncio.sleep(pause)

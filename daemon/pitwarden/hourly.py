"""Work that comes once an hour, the first time a little after the start."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Never

EVERY_S: Final = 3_600.0


async def hourly(first_s: float, once: Callable[[], Awaitable[None]]) -> Never:
    """Does it `first_s` seconds from now and then each hour, for ever."""
    await asyncio.sleep(first_s)
    while True:
        await once()
        await asyncio.sleep(EVERY_S)

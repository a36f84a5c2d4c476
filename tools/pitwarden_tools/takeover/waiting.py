"""Waiting: for a condition, for the end of a task, and for the end of a call in a thread."""

import asyncio
from collections.abc import Callable
from typing import Final

from pitwarden_tools.takeover.errors import TakeoverError

_POLL_S: Final = 0.05


async def until(true: Callable[[], bool], seconds: float, otherwise: str) -> None:
    """Wait until `true()` holds.

    Raises:
        TakeoverError: It does not within `seconds`; `otherwise` is the sentence.
    """
    try:
        async with asyncio.timeout(seconds):
            while not true():  # noqa: ASYNC110  what is waited for changes in several places
                await asyncio.sleep(_POLL_S)
    except TimeoutError:
        raise TakeoverError(f"{otherwise} within {seconds:.0f} s") from None


async def ended(task: "asyncio.Task[None]") -> None:
    """Cancel `task`, and return once it has ended."""
    task.cancel()
    await asyncio.wait({task})


async def in_thread(call: Callable[[], None]) -> None:
    """Call in a thread, and return once the call has ended, also when this task is cancelled meanwhile.

    A server can be stopped only when it is not just being started.
    """
    calling = asyncio.ensure_future(asyncio.to_thread(call))
    try:
        await asyncio.shield(calling)
    except asyncio.CancelledError:
        await asyncio.wait({calling})
        raise

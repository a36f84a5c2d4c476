"""A service that is asked to stop, twice, as an impatient person does."""

import asyncio
import signal

from fake_manager import FakeManager

BOUND_S = 8.0
"""4.5 s are the service's own bound; the rest is the machine's."""


async def ended(manager: FakeManager) -> tuple[int, float]:
    """SIGTERM twice; the exit code, and how long it took in seconds."""
    assert manager.process is not None
    loop = asyncio.get_running_loop()
    began = loop.time()
    manager.process.send_signal(signal.SIGTERM)
    await manager.until(lambda said: "STOPPING" in said, 20)
    manager.process.send_signal(signal.SIGTERM)
    return await asyncio.wait_for(manager.process.wait(), 30), loop.time() - began

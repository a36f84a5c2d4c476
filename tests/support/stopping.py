"""A service that is asked to stop, twice, as an impatient person does."""

import asyncio
import signal

from fake_manager import FakeManager
from waiting import PATIENCE_S


async def ended(manager: FakeManager) -> int:
    """SIGTERM twice; the exit code. What hangs in these tests hangs for ever: whoever waited for it would never end."""
    assert manager.process is not None
    manager.process.send_signal(signal.SIGTERM)
    await manager.until(lambda said: "STOPPING" in said)
    manager.process.send_signal(signal.SIGTERM)
    return await asyncio.wait_for(manager.process.wait(), PATIENCE_S)

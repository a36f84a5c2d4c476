"""Service manager as far as sd_notify requires: a socket that receives, and a process that gets its address."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from testkit.clocks.waiting import PATIENCE_S

Said = dict[str, str]


class FakeManager:
    """Receiver of the notifications of one service. `heard` holds each datagram, in order."""

    def __init__(self, address: Path) -> None:
        self._loop = asyncio.get_running_loop()
        self.heard: list[Said] = []
        self._news = asyncio.Event()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(address))
        self._socket.settimeout(0)
        self.process: asyncio.subprocess.Process | None = None

    def listen(self) -> None:
        self._loop.add_reader(self._socket, self._hear)

    def close(self) -> None:
        self._loop.remove_reader(self._socket)
        self._socket.close()

    def _hear(self) -> None:
        told = self._socket.recv(65_536).decode()
        self.heard.append(dict(line.split("=", 1) for line in told.splitlines()))
        self._news.set()

    async def until(self, fits: Callable[[Said], bool], *, since: int = 0, seconds: float = PATIENCE_S) -> Said:
        """Return the first datagram from number `since` on that fits."""
        async with asyncio.timeout(seconds):
            while True:
                found = next((said for said in self.heard[since:] if fits(said)), None)
                if found is not None:
                    return found
                self._news.clear()
                await self._news.wait()

    async def silent(self, key: str, seconds: float) -> bool:
        """Return whether `key` is not notified for `seconds` from now."""
        try:
            await self.until(lambda said: key in said, since=len(self.heard), seconds=seconds)
        except TimeoutError:
            return True
        return False


@asynccontextmanager
async def listening_manager(address: Path) -> AsyncIterator[FakeManager]:
    """Yield a manager that listens at `address` and starts nothing."""
    manager = FakeManager(address)
    manager.listen()
    try:
        yield manager
    finally:
        manager.close()


@asynccontextmanager
async def managed(
    folder: Path, command: Sequence[str], watchdog_s: float | None = None, name: str = "service"
) -> AsyncIterator[FakeManager]:
    """Start `python command...` as the manager would; it is killed at the end if it still runs."""
    environment = {**os.environ, "NOTIFY_SOCKET": str(folder / f"{name}.notify")}
    if watchdog_s is not None:
        environment["WATCHDOG_USEC"] = str(round(watchdog_s * 1_000_000))
    async with listening_manager(folder / f"{name}.notify") as manager:
        with (folder / f"{name}.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable, *command, stdout=log, stderr=log, env=environment
            )
        manager.process = process
        try:
            yield manager
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def stop_twice(manager: FakeManager) -> int:
    """Send SIGTERM twice; return the exit code. The second one ends a service whose planted fault never ends."""
    assert manager.process is not None
    manager.process.send_signal(signal.SIGTERM)
    await manager.until(lambda said: "STOPPING" in said)
    manager.process.send_signal(signal.SIGTERM)
    return await asyncio.wait_for(manager.process.wait(), PATIENCE_S)

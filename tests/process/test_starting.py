"""A long start: the manager waits while rows are folded, and no longer; a stop is heeded at once."""

import asyncio
import contextlib
import socket
from collections.abc import Coroutine
from pathlib import Path

import pytest

from pitwarden.notify import Notifier
from pitwarden.starting import GRANTED_S, SAY_S, Folded, started
from sim_loop import SimulatedLoop


@pytest.fixture
def heard(tmp_path: Path) -> socket.socket:
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(tmp_path / "notify"))
    manager.settimeout(0)
    return manager


def begin(
    tmp_path: Path, building: Coroutine[object, object, str], folded: Folded, stop_after_s: float | None = None
) -> str | None:
    """Starts in simulated time, asked to stop after a while."""

    async def asked() -> str | None:
        stop = asyncio.Event()
        if stop_after_s is not None:
            asyncio.get_running_loop().call_later(stop_after_s, stop.set)
        with contextlib.closing(Notifier(str(tmp_path / "notify"))) as notifier:
            return await started(building, stop, notifier, folded)

    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(asked())


def said(manager: socket.socket) -> list[str]:
    lines = []
    with contextlib.suppress(BlockingIOError):
        while True:
            lines.append(manager.recv(4_096).decode())
    manager.close()
    return lines


async def folding(folded: Folded, seconds: int, *, rows_a_second: int) -> str:
    for _ in range(seconds):
        await asyncio.sleep(1)
        folded.rows += rows_a_second
    return "ready"


def test_while_rows_are_folded_the_manager_is_asked_to_wait(tmp_path: Path, heard: socket.socket) -> None:
    folded = Folded()
    seconds = round(3.5 * SAY_S)
    assert begin(tmp_path, folding(folded, seconds, rows_a_second=5_000), folded) == "ready"
    lines = said(heard)
    assert len(lines) >= seconds // SAY_S
    assert all(line.startswith(f"EXTEND_TIMEOUT_USEC={round(GRANTED_S * 1_000_000)}\nSTATUS=") for line in lines)


def test_a_start_that_hangs_gets_no_more_time(tmp_path: Path, heard: socket.socket) -> None:
    folded = Folded()
    assert begin(tmp_path, folding(folded, 600, rows_a_second=0), folded) == "ready"
    assert not said(heard)


def test_a_stop_during_the_start_is_heeded(tmp_path: Path, heard: socket.socket) -> None:
    ended = []

    async def long() -> str:
        try:
            await asyncio.sleep(3_600)
        finally:
            ended.append(asyncio.get_running_loop().time())
        return "ready"

    assert begin(tmp_path, long(), Folded(), stop_after_s=3) is None
    assert ended == [3]
    assert not said(heard)


def test_what_is_wrong_with_the_start_is_raised(tmp_path: Path, heard: socket.socket) -> None:
    async def refused() -> str:
        raise ValueError("no key")

    with pytest.raises(ValueError, match="no key"):
        begin(tmp_path, refused(), Folded())
    assert not said(heard)

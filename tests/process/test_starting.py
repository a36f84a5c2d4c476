"""A judge that folds is alive while rows are folded, and no longer; a start that is not wanted ends at once."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from pitwarden.judge.half import JudgeHalf
from pitwarden.service.judge_startup import DeferredJudge, cancel_on_stop
from pitwarden.system.service_manager import SystemdNotifier, Watchdog
from pitwarden_tools.simulation.simulated_loop import SimulatedLoop

WATCHDOG_S = 30


@pytest.fixture
def heard(tmp_path: Path) -> socket.socket:
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(tmp_path / "notify"))
    manager.settimeout(0)
    return manager


def said(manager: socket.socket) -> list[str]:
    lines = []
    with contextlib.suppress(BlockingIOError):
        while True:
            lines.append(manager.recv(4_096).decode())
    manager.close()
    return lines


async def folds(seconds: int, then_hangs_s: float, on_folded: Callable[[], None]) -> JudgeHalf:
    """Yield a row a second, and then none."""
    for _ in range(seconds):
        await asyncio.sleep(1)
        on_folded()
    await asyncio.sleep(then_hangs_s)
    raise AssertionError("the test has ended by then")


def watched(folder: Path, seconds: int, then_hangs_s: float) -> None:
    """Run a service whose judge folds so, until it is asked to stop."""

    async def serve() -> None:
        stop = asyncio.Event()
        judge = DeferredJudge(lambda on_folded: folds(seconds, 3_600, on_folded), _never, _never)
        with contextlib.closing(SystemdNotifier(str(folder / "notify"), WATCHDOG_S)) as notifier:
            watching = asyncio.create_task(Watchdog(notifier, judge.probes, judge.status_line).run())
            asyncio.get_running_loop().call_later(seconds + then_hangs_s, stop.set)
            await judge.run(stop)
            watching.cancel()

    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        runner.run(serve())


def _never(_: object) -> None:
    raise AssertionError


def test_a_judge_in_recovery_feeds_the_watchdog_and_reports_progress(tmp_path: Path, heard: socket.socket) -> None:
    watched(tmp_path, WATCHDOG_S + WATCHDOG_S // 2, 0)
    lines = said(heard)
    assert len(lines) > 3
    assert all(line.startswith("WATCHDOG=1\nSTATUS=NOT JUDGED YET") for line in lines)
    counted = [int(line.rpartition(" ")[2]) for line in lines]
    assert counted == sorted(set(counted))


def test_a_judge_that_hangs_in_recovery_starves_the_watchdog(tmp_path: Path, heard: socket.socket) -> None:
    watched(tmp_path, WATCHDOG_S, 2 * WATCHDOG_S)
    lines = said(heard)
    starved = [line for line in lines if line.startswith("STATUS=NOT ALIVE: judge fold stands still")]
    assert starved
    assert lines[-len(starved) :] == starved


def started_until(stop_after_s: float, ended: list[float]) -> str | None:
    """Something that takes an hour to start, in simulated time."""

    async def long() -> str:
        try:
            await asyncio.sleep(3_600)
        finally:
            ended.append(asyncio.get_running_loop().time())
        return "ready"

    async def asked() -> str | None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(stop_after_s, stop.set)
        return await cancel_on_stop(long(), stop)

    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(asked())


def test_a_stop_during_the_start_is_heeded() -> None:
    ended: list[float] = []
    assert started_until(3, ended) is None
    assert ended == [3]
    assert started_until(4_000, ended) == "ready"


async def test_what_is_wrong_with_the_start_is_raised() -> None:
    async def refused() -> str:
        raise ValueError("no key")

    with pytest.raises(ValueError, match="no key"):
        await cancel_on_stop(refused(), asyncio.Event())

"""The one loop of workers: it turns at the start, when it is poked, and when its own time has come."""

import asyncio
from contextlib import suppress

import pytest

from pitwarden.system.tasks import WakeableLoop, WorkQueue
from testkit.clocks.waiting import until


class Loop(WakeableLoop):
    """Loop whose turns the test holds up and times."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__()
        self.seconds = seconds
        self.turns = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def _turn(self) -> float | None:
        self.turns += 1
        await self.gate.wait()
        return self.seconds


async def ended(task: asyncio.Task[object]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_it_turns_once_at_the_start_and_then_only_when_it_is_poked() -> None:
    loop = Loop()
    task = asyncio.create_task(loop.run())
    await until(lambda: loop.turns == 1)
    for _ in range(10):
        await asyncio.sleep(0)
    assert (loop.turns, loop.progress) == (1, 1)
    loop.wake()
    loop.wake()
    await until(lambda: loop.turns == 2)
    for _ in range(10):
        await asyncio.sleep(0)
    assert (loop.turns, loop.progress) == (2, 2)
    await ended(task)


async def test_a_poke_during_a_turn_brings_about_one_more() -> None:
    loop = Loop()
    loop.gate.clear()
    task = asyncio.create_task(loop.run())
    await until(lambda: loop.turns == 1)
    loop.wake()
    loop.gate.set()
    await until(lambda: loop.turns == 2)
    await ended(task)


async def test_it_turns_by_itself_after_the_time_that_a_turn_named() -> None:
    loop = Loop(seconds=0.001)
    task = asyncio.create_task(loop.run())
    await until(lambda: loop.turns >= 3)
    await ended(task)


async def test_a_queue_s_worker_counts_each_thing_and_ends_with_its_exception() -> None:
    handled: list[int] = []

    async def handle(thing: int) -> None:
        if thing == 3:
            raise ValueError(thing)
        handled.append(thing)

    turns = WorkQueue(3, handle)
    assert [turns.put(thing) for thing in (1, 2, 3, 4)] == [True, True, True, False]
    with pytest.raises(ValueError, match="3"):
        await asyncio.wait_for(turns.run(), 5)
    assert (handled, turns.progress, turns.waiting) == ([1, 2], 3, 0)

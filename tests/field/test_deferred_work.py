"""Deferred work runs in order, at once when the half stops, and a bug in it is not swallowed."""

import asyncio

import pytest

from pitwarden.field.commit_handlers import DeferredWork
from testkit.clocks.waiting import until


async def test_it_comes_later_and_in_order() -> None:
    done: list[int] = []
    afterwards = DeferredWork(done.append)
    for number in range(5):
        afterwards.put(number)
    await asyncio.sleep(0)
    assert done == []
    await until(lambda: len(done) == 5)
    afterwards.put(5)
    await until(lambda: len(done) == 6)
    assert done == [0, 1, 2, 3, 4, 5]


async def test_what_still_waits_is_done_when_the_half_leaves_and_not_again() -> None:
    done: list[int] = []
    afterwards = DeferredWork(done.append)
    afterwards.put(1)
    afterwards.put(2)
    afterwards.now()
    assert done == [1, 2]
    afterwards.put(3)
    await until(lambda: len(done) > 2)
    assert done == [1, 2, 3]


async def test_a_bug_ends_the_task_that_runs_it() -> None:
    def broken(_: int) -> None:
        raise ZeroDivisionError("a bug")

    afterwards = DeferredWork(broken)
    afterwards.put(1)
    afterwards.put(2)
    with pytest.raises(ZeroDivisionError):
        await asyncio.wait_for(afterwards.run(), 5)

"""A task wakes when it is woken and at the time that it set, and no timer of an earlier wait remains."""

import asyncio

from pitwarden.field.devices.dialogue import WakeEvent


async def test_a_wake_that_came_before_the_wait_ends_it_once() -> None:
    waking = WakeEvent()
    waking.wake()
    waking.wake()
    await asyncio.wait_for(waking.wait(60), 30)
    second = asyncio.create_task(waking.wait(60), name="second")
    await asyncio.sleep(0)
    assert not second.done()
    waking.wake()
    await asyncio.wait_for(second, 30)


async def test_without_a_wake_the_time_ends_it() -> None:
    waking, loop = WakeEvent(), asyncio.get_running_loop()
    for seconds in (0.0, 0.02, 0.01):
        began = loop.time()
        await asyncio.wait_for(waking.wait(seconds), 30)
        assert loop.time() - began >= seconds


async def test_a_timer_of_an_earlier_wait_neither_ends_a_later_one_nor_holds_it_up() -> None:
    waking, loop = WakeEvent(), asyncio.get_running_loop()
    for before, seconds in ((0.01, 0.05), (60.0, 0.01)):
        first = asyncio.create_task(waking.wait(before), name="first")
        await asyncio.sleep(0)
        waking.wake()
        await first
        began = loop.time()
        await asyncio.wait_for(waking.wait(seconds), 30)
        assert loop.time() - began >= seconds

"""One thread for one file: calls in order, their errors with whoever asked, and no loop's end ends the thread."""

import asyncio
from threading import Event

from pitwarden.journal.group_commit import JournalThread
from testkit.clocks.waiting import PATIENCE_S


def test_calls_are_made_in_order_and_an_error_reaches_who_asked() -> None:
    made: list[int] = []

    def broken() -> None:
        made.append(2)
        raise OSError("no disk")

    async def asked() -> list[BaseException | None]:
        calls = (lambda: made.append(1), broken, lambda: made.append(3))
        return await asyncio.gather(*(worker.run(call) for call in calls), return_exceptions=True)

    worker = JournalThread("test")
    answers = asyncio.run(asked())
    worker.stop()
    assert made == [1, 2, 3]
    assert [type(answer) for answer in answers] == [type(None), OSError, type(None)]


def test_a_loop_that_is_closed_while_a_call_is_under_way_leaves_the_thread_at_work() -> None:
    begun, go_on, made = Event(), Event(), list[str]()

    def long() -> None:
        begun.set()
        assert go_on.wait(PATIENCE_S)
        made.append("long")

    async def asked() -> None:
        worker.submit(long, lambda _: None)
        assert begun.wait(PATIENCE_S)

    worker = JournalThread("test")
    asyncio.run(asked())
    go_on.set()

    async def again() -> int:
        return await worker.run(lambda: len(made))

    assert asyncio.run(again()) == 1
    worker.stop()

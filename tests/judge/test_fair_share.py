"""One loop iteration judges at most one batch above its bound, in fair order of the tables."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden.judge.intake import ROWS, FairShare


@given(batches=st.lists(st.lists(st.integers(1, ROWS), min_size=1, max_size=5), min_size=1, max_size=40))
@settings(max_examples=30)
async def test_a_round_is_bounded_and_every_table_has_its_turn(batches: list[list[int]]) -> None:
    turnstile, entered = FairShare(), list[tuple[int, int]]()
    rounds, loop = [0], asyncio.get_running_loop()

    def turn() -> None:
        rounds.append(0)
        if len(entered) < sum(map(len, batches)):
            loop.call_soon(turn)

    async def table(number: int) -> None:
        for rows in batches[number]:
            await turnstile.enter(rows)
            rounds[-1] += rows
            entered.append((number, rows))
            await asyncio.sleep(0)

    loop.call_soon(turn)
    async with asyncio.TaskGroup() as group:
        for number in range(len(batches)):
            group.create_task(table(number))
    assert max(rounds) < 2 * (2 * ROWS), "between two looks lie parts of two rounds"
    firsts = [number for place, (number, _) in enumerate(entered) if number not in {one for one, _ in entered[:place]}]
    assert firsts == list(range(len(batches)))
    assert sum(rows for _, rows in entered) == sum(map(sum, batches))


async def test_a_table_that_is_gone_keeps_no_turn() -> None:
    turnstile = FairShare()
    first, gone, waits = (asyncio.ensure_future(turnstile.enter(rows)) for rows in (ROWS, 1, 1))
    await turnstile.enter(ROWS)
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(first, waits)
    assert gone.cancelled()

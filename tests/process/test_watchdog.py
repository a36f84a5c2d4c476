"""How often a healthy service feeds its watchdog, in simulated time: no machine is too slow for that."""

import asyncio
import contextlib
from itertools import pairwise

import pytest

from pitwarden.system.service_manager import UNWATCHED_S, SystemdNotifier, Watchdog
from pitwarden_tools.simulation.simulated_loop import SimulatedLoop

LOOKS = 20


@pytest.mark.parametrize("watchdog_s", [None, 1, 4, 30, 120])
def test_it_is_fed_twice_in_the_interval(watchdog_s: float | None) -> None:
    interval = watchdog_s or UNWATCHED_S
    fed: list[float] = []

    async def watched() -> None:
        loop = asyncio.get_running_loop()

        def well() -> str:
            fed.append(loop.time())
            return "all is well"

        with contextlib.suppress(TimeoutError), contextlib.closing(SystemdNotifier("", watchdog_s)) as notifier:
            async with asyncio.timeout(LOOKS * interval):
                await Watchdog(notifier, tuple, well).run()

    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        runner.run(watched())
    assert all(later - earlier <= interval / 2 for earlier, later in pairwise([0.0, *fed, LOOKS * interval]))

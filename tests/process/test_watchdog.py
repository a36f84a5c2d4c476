"""How often a healthy service feeds its watchdog, in simulated time: no machine is too slow for that."""

import asyncio
import contextlib
from itertools import pairwise

import pytest

from pitwarden.system.service_manager import UNWATCHED_S, SystemdNotifier, Watchdog
from pitwarden.system.tasks import Probe
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


class Lines(SystemdNotifier):
    """Client that notes the status lines and sends nothing."""

    def __init__(self) -> None:
        super().__init__("", 30)
        self.said: list[tuple[float, str]] = []

    def status(self, status: str) -> None:
        self.said.append((asyncio.get_running_loop().time(), status))


def test_the_status_line_is_true_within_a_second_and_hides_no_stalled_part() -> None:
    said: list[tuple[float, str]] = []

    async def watched() -> None:
        loop, notifier = asyncio.get_running_loop(), Lines()
        started = loop.time()

        def line() -> str:
            return "NOT JUDGED YET" if loop.time() < started + 3.2 else "dealing permitted"

        stuck = Probe("log", lambda: 0, lambda: None)
        watchdog = Watchdog(notifier, lambda: [stuck], line)
        with contextlib.suppress(TimeoutError), contextlib.closing(notifier):
            async with asyncio.timeout(40), asyncio.TaskGroup() as group:
                group.create_task(watchdog.run())
                group.create_task(watchdog.show_changes())
        said.extend((at - started, text) for at, text in notifier.said)

    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        runner.run(watched())
    assert [text for _, text in said[:2]] == ["NOT JUDGED YET", "dealing permitted"]
    assert said[1][0] < 4.2
    assert {text[:9] for _, text in said[2:]} == {"NOT ALIVE"}

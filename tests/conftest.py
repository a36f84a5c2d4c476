"""What every test gets: nothing may be left running."""

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Iterator

import pytest
from hypothesis import HealthCheck, settings

from testkit.brokers.mosquitto import broker
from testkit.clocks.waiting import PATIENCE_S
from testkit.installation.debian_programs import promtool, shellcheck
from testkit.installation.home_assistant import home_assistant
from testkit.installation.node import js
from testkit.installation.package import package
from testkit.installation.postgresql import postgresql, shared_postgresql
from testkit.pages.chromium import chromium

__all__ = [
    "broker", "chromium", "home_assistant", "js", "package", "postgresql", "promtool", "shared_postgresql",
    "shellcheck",
]  # fmt: skip

pytest_plugins = ["testkit.runner.full_run"]

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

ENDING_S = PATIENCE_S
"""What a thread that was told to end may still need: a connection attempt under way cannot be interrupted."""

LOOPS_OWN = "asyncio_"
"""Threads of the loop's default executor, in which the client's library connects; the loop ends them when it closes."""


@pytest.fixture
async def no_task_left() -> AsyncIterator[None]:
    yield
    current = asyncio.current_task()
    left = [task.get_name() for task in asyncio.all_tasks() if task is not current and not task.done()]
    assert not left, f"tasks left running: {left}"


@pytest.fixture(autouse=True)
def nothing_left_running(request: pytest.FixtureRequest) -> Iterator[None]:
    if inspect.iscoroutinefunction(getattr(request.node, "obj", None)):
        request.getfixturevalue("no_task_left")
    threads = set(threading.enumerate())
    yield
    new = [
        thread
        for thread in threading.enumerate()
        if thread not in threads and not thread.daemon and not thread.name.startswith(LOOPS_OWN)
    ]
    for thread in new:
        thread.join(ENDING_S)
    left = [thread.name for thread in new if thread.is_alive()]
    assert not left, f"threads left running: {left}"


UNTRACED = {
    "bench", "bus", "campaign", "e2e", "noninterference", "process", "simulation", "simulators", "slips",
    "test_arbitrary_rows.py", "test_course.py", "test_outcomes_tool.py", "test_secrecy.py",
}  # fmt: skip
"""Tests that play whatever may come: the tests of the parts cover it already; traced they take three times as long."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if UNTRACED & set(item.path.parts):
            item.add_marker(pytest.mark.no_cover)

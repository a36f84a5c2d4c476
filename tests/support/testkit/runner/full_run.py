"""Option `--full`: every test runs, and a missing program is a failure instead of a skip.

A run without the option skips the tests that carry the marker `full`. It also skips the tests for which a program is
missing on this machine. Each skip states its reason. A full run, which `.ci/run` starts, skips nothing: a test that is
skipped on the machine that decides about a release proves nothing there.
"""

from collections.abc import Callable, Generator
from typing import Final

import pytest

from testkit.brokers.mosquitto import missing_mosquitto
from testkit.pages.pango import missing_pango

# Fixtures that fetch packages from a registry or build the Debian package. A test that uses one belongs to the full
# run; the marker follows from the fixture so that no test can forget it.
FULL_FIXTURES: Final = frozenset(
    {"chromium", "home_assistant", "js", "package", "postgresql", "promtool", "shared_postgresql", "shellcheck"}
)

# What the tests with a marker need. Each function returns why it is missing; an empty string when it is present.
NEEDS: Final[dict[str, Callable[[], str]]] = {"broker": missing_mosquitto, "pango": missing_pango}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the tests marked full too; a skip is a failure")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests whose fixtures belong to the full run."""
    for item in items:
        if FULL_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.full)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that belongs to the full run, or that lacks what its markers demand."""
    if item.get_closest_marker("full") is not None and not item.config.getoption("--full"):
        pytest.skip("runs with ./run tests --full")
    for marker, missing in NEEDS.items():
        if item.get_closest_marker(marker) is not None and (reason := missing()):
            pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn the skip of a test into a failure in a full run. An expected failure stays one."""
    del call
    report = yield
    if item.config.getoption("--full") and not hasattr(report, "wasxfail"):
        _demand(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn the skip of a complete file into a failure in a full run."""
    report = yield
    if collector.config.getoption("--full"):
        _demand(report)
    return report


def _demand(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"A full run skips nothing. {reason}"

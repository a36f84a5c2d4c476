"""The guards in conftest guard: a test that leaves a task or a thread behind fails."""

import pytest

pytest_plugins = ["pytester"]

LEAKY = """
import asyncio, threading

async def test_task():
    loop = asyncio.get_running_loop()
    test_task.kept = loop.create_task(asyncio.Event().wait(), name="lost-one")

def test_thread():
    gate = threading.Event()
    test_thread.gate = gate
    threading.Thread(target=lambda: gate.wait(2), name="lost-thread").start()
"""


def test_a_leak_fails_its_test(
    pytester: pytest.Pytester, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = request.config.rootpath / "tests"
    monkeypatch.setenv("PYTHONPATH", str(tests / "support"))
    pytester.makeconftest((tests / "conftest.py").read_text())
    pytester.makepyfile(LEAKY)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-o", "asyncio_mode=auto")
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(["*tasks left running*lost-one*", "*threads left running*lost-thread*"])

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
    threading.Thread(target=gate.wait, name="lost-thread").start()

def test_the_end():
    test_thread.gate.set()
"""


def test_a_leak_fails_its_test(
    pytester: pytest.Pytester, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = request.config.rootpath / "tests"
    monkeypatch.setenv("PYTHONPATH", str(tests / "support"))
    guards = (tests / "conftest.py").read_text()
    assert "ENDING_S = PATIENCE_S" in guards
    pytester.makeconftest(guards.replace("ENDING_S = PATIENCE_S", "ENDING_S = 0.1"))
    pytester.makepyfile(LEAKY)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-o", "asyncio_mode=auto")
    result.assert_outcomes(passed=3, errors=2)
    result.stdout.fnmatch_lines(["*tasks left running*lost-one*", "*threads left running*lost-thread*"])

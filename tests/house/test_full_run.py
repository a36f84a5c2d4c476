"""A full run skips nothing, and a plain one says why it skips."""

import re
import tomllib
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import pytest

def test_plain(): pass

@pytest.mark.full
def test_long(): pass

@pytest.mark.skipif(True, reason="no such program here")
def test_missing(): pass

@pytest.mark.xfail(strict=True)
def test_known(): assert False

@pytest.fixture
def package(): pass

def test_of_the_package(package): pass
"""


@pytest.fixture
def suite(
    pytester: pytest.Pytester, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(request.config.rootpath / "tests" / "support"))
    pytester.makeconftest('pytest_plugins = ["testkit.runner.full_run"]\n')
    pytester.makeini("[pytest]\nmarkers =\n  full: long\n  broker: mosquitto\n")
    return pytester


def test_a_plain_run_skips_and_states_each_reason(suite: pytest.Pytester) -> None:
    suite.makepyfile(TESTS)
    result = suite.runpytest_subprocess("-rs", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, skipped=3, xfailed=1)
    result.stdout.fnmatch_lines(["*[[]2[]]*runs with ./run tests --full", "*no such program here"])


def test_in_a_full_run_a_missing_program_is_a_failure(suite: pytest.Pytester) -> None:
    suite.makepyfile(TESTS)
    result = suite.runpytest_subprocess("--full", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, errors=1, xfailed=1)
    result.stdout.fnmatch_lines(["*A full run skips nothing. Skipped: no such program here*"])


def test_in_a_full_run_a_file_that_is_skipped_is_an_error(suite: pytest.Pytester) -> None:
    suite.makepyfile('import pytest\npytest.importorskip("no_such_module")\n')
    assert suite.runpytest_subprocess("-p", "no:cacheprovider").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result = suite.runpytest_subprocess("--full", "-p", "no:cacheprovider")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*A full run skips nothing.*"])


def test_a_test_that_needs_a_broker_is_skipped_where_there_is_none(suite: pytest.Pytester) -> None:
    suite.makeconftest(
        "import testkit.runner.full_run as full_run\n"
        'full_run.NEEDS["broker"] = lambda: "no mosquitto: none"\n'
        'pytest_plugins = ["testkit.runner.full_run"]\n'
    )
    suite.makepyfile("import pytest\n\n@pytest.mark.broker\ndef test_link(): raise AssertionError\n")
    result = suite.runpytest_subprocess("-rs", "-p", "no:cacheprovider")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*no mosquitto: none"])


def test_the_page_on_tests_lists_each_marker(request: pytest.FixtureRequest) -> None:
    listed = re.findall(
        r"^\| `(\w+)` \| ", Path(request.config.rootpath, "tests", "README.md").read_text(), re.MULTILINE
    )
    markers = tomllib.loads(Path(request.config.rootpath, "pyproject.toml").read_text())["tool"]["pytest"]
    declared = {one.partition(":")[0] for one in markers["ini_options"]["markers"]}
    assert declared
    assert declared - set(listed) == set()

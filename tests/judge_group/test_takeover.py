"""The experiment in short: judge processes of a group, real brokers and a real PostgreSQL with a standby, under faults.

A proof is worth what it finds: the same experiment with planted bugs must not pass.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pitwarden_tools.__main__ import INTERRUPTED
from pitwarden_tools.takeover.command import as_text
from pitwarden_tools.takeover.experiment import TakeoverResult, play
from pitwarden_tools.takeover.faults import DETECTED_S
from pitwarden_tools.takeover.plan import KINDS, TakeoverPlan
from testkit.brokers.mosquitto import mosquitto
from testkit.clocks.waiting import until

pytestmark = [pytest.mark.broker, pytest.mark.full, pytest.mark.timeout(600)]
TAKEOVER_S = 30.0
"""Most seconds of a takeover on a busy machine; the tool measures what it takes on an idle one."""

STOPPED = TakeoverPlan(seed=7, judges=2, tables=4, rate=4.0, seconds=1.0, kinds=("stop",), brokers=1)


@contextmanager
def place() -> Iterator[Path]:
    # The database's own account must reach the folder, which it cannot below pytest's.
    with TemporaryDirectory(prefix="takeover-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def played(plan: TakeoverPlan) -> TakeoverResult:
    with place() as folder:
        return asyncio.run(play(plan, mosquitto(), folder))


def test_no_verdict_is_lost_doubled_or_out_of_order_under_any_fault() -> None:
    result = played(TakeoverPlan(seed=7, judges=3, tables=6, rate=2.0, seconds=1.0))
    assert result.proof.differences == {}, as_text(result)
    assert result.proof.published >= result.proof.verdicts > 0
    assert result.faults == dict.fromkeys(KINDS, 1)
    assert {kind for kind, found in result.takeovers.items() if found} == set(KINDS)
    assert max(max(found) for found in result.takeovers.values()) < TAKEOVER_S


def test_a_failover_to_an_asynchronous_standby_loses_and_doubles_nothing() -> None:
    result = played(TakeoverPlan(seed=7, judges=2, tables=4, rate=4.0, seconds=1.0, kinds=("failover",)))
    assert result.proof.differences == {}, as_text(result)
    assert result.faults == {"failover": 1}
    [until_stored_again] = result.takeovers["failover"]
    assert DETECTED_S < until_stored_again < TAKEOVER_S


def test_judges_without_a_fence_are_found() -> None:
    broken = played(replace(STOPPED, mutant="no-fence"))
    assert broken.proof.differences.get("numbers with two bodies", 0) > 0, as_text(broken)


def test_two_rules_versions_with_the_fence_have_one_body_for_each_number() -> None:
    held = played(replace(STOPPED, mutant="two-versions"))
    assert held.proof.differences == {}, as_text(held)


def programs_in(folder: Path) -> list[str]:
    """Return the command lines of all processes that name the folder, and are not the tool."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:  # it has ended meanwhile
            continue
        if any(str(folder) in word for word in words) and "pitwarden_tools" not in words:
            found.append(" ".join(words))
    return found


async def test_control_c_ends_the_tool_and_everything_that_it_started() -> None:
    words = ("takeover", "--judges", "2", "--tables", "2", "--minutes", "5", "--mosquitto", mosquitto())
    with place() as top:
        folder = top / "played"
        tool = subprocess.Popen(  # noqa: ASYNC220  it starts at once
            [sys.executable, "-m", "pitwarden_tools", *words, "--folder", folder],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0,
        )  # fmt: skip
        try:
            await until(lambda: len([one for one in programs_in(folder) if "--only judge" in one]) == 2, pause=0.1)
            started = programs_in(folder)
            os.killpg(tool.pid, signal.SIGINT)
            said, wrong = await asyncio.to_thread(tool.communicate, timeout=120)
        finally:
            tool.kill()
        for program in ("postgres", "mosquitto"):
            assert any(program in one for one in started), started
        assert (tool.returncode, said, wrong) == (INTERRUPTED, "", "")
        assert programs_in(folder) == []

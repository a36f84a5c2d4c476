"""The experiment in short: judge processes of a group, real brokers and a real PostgreSQL with a standby, under faults.

A proof is worth what it finds: the same experiment with planted bugs must not pass.
"""

import asyncio
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pitwarden_tools.takeover.command import as_text
from pitwarden_tools.takeover.experiment import TakeoverResult, play
from pitwarden_tools.takeover.faults import DETECTED_S
from pitwarden_tools.takeover.plan import KINDS, TakeoverPlan
from testkit.brokers.mosquitto import mosquitto

pytestmark = [pytest.mark.broker, pytest.mark.full, pytest.mark.timeout(600)]
TAKEOVER_S = 30.0
"""Most seconds of a takeover on a busy machine; the tool measures what it takes on an idle one."""

STOPPED = TakeoverPlan(seed=7, judges=2, tables=4, rate=4.0, seconds=1.0, kinds=("stop",), brokers=1)


def played(plan: TakeoverPlan) -> TakeoverResult:
    # The database's own account must reach the folder, which it cannot below pytest's.
    with TemporaryDirectory(prefix="takeover-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        return asyncio.run(play(plan, mosquitto(), Path(name)))


def test_no_verdict_is_lost_doubled_or_out_of_order_under_any_fault() -> None:
    result = played(TakeoverPlan(seed=7, judges=3, tables=6, rate=2.0, seconds=25.0))
    assert result.proof.differences == {}, as_text(result)
    assert result.proof.published >= result.proof.verdicts > 0
    assert set(result.takeovers) <= set(KINDS)
    assert max(max(found) for found in result.takeovers.values() if found) < TAKEOVER_S


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

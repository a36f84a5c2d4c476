"""The experiment in short: judge processes of a group, with a real broker and a real PostgreSQL, under every fault."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pitwarden_tools.takeover.command import as_text
from pitwarden_tools.takeover.experiment import KINDS, TakeoverPlan, play
from testkit.brokers.mosquitto import mosquitto

pytestmark = [pytest.mark.broker, pytest.mark.full]
TAKEOVER_S = 20.0
"""Most seconds of a takeover on a busy machine; the tool measures what it takes on an idle one."""


def test_no_verdict_is_lost_doubled_or_out_of_order_under_any_fault() -> None:
    # The database's own account must reach the folder, which it cannot below pytest's.
    with TemporaryDirectory(prefix="takeover-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        plan = TakeoverPlan(seed=7, judges=3, tables=6, rate=2.0, seconds=25.0)
        result = asyncio.run(play(plan, mosquitto(), Path(name)))
    assert result.proof.differences == {}, as_text(result)
    assert result.proof.published >= result.proof.verdicts > 0
    assert set(result.takeovers) <= set(KINDS)
    assert max(max(found) for found in result.takeovers.values() if found) < TAKEOVER_S

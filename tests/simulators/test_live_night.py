"""Nights over the whole stack: ptys, pyserial, journals, MQTT, both halves. Nothing on the path is mocked."""

import asyncio
import sys
from pathlib import Path

import pytest

from pitwarden_simulators.demo.play import Plan, play_table
from pitwarden_simulators.demo.report import PlainReport
from pitwarden_simulators.demo.summary import Result, closing
from pitwarden_simulators.table.setup import CB_AUTO, TAB_VISIBLE, SimulatedTableSetup
from testkit.brokers.mosquitto import MosquittoBroker


def played(plan: Plan, broker: MosquittoBroker, folder: Path) -> Result:
    result = asyncio.run(play_table(plan, ("127.0.0.1", broker.port), folder, PlainReport(sys.stderr)))
    assert result.good, "\n".join(closing([result]))
    return result


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "setup", [pytest.param(TAB_VISIBLE, marks=pytest.mark.full), CB_AUTO], ids=lambda setup: setup.table
)
def test_fifty_honest_rounds_over_the_whole_stack(
    setup: SimulatedTableSetup, broker: MosquittoBroker, tmp_path: Path
) -> None:
    result = played(Plan(setup, 2, 50, (), 0, (None,), "demo-test"), broker, tmp_path)
    assert result.rounds == 50
    assert result.lines == ()

"""A dead, babbling or flapping device costs the others no event; how much time, `pitwarden isolation` prints."""

import pytest

from pitwarden_drivers.ports.port import run_with_deadline
from pitwarden_tools.__main__ import main
from pitwarden_tools.isolation import NUISANCES, measure


@pytest.mark.parametrize("nuisance", NUISANCES)
async def test_every_event_of_the_others_arrives(nuisance: str) -> None:
    found = await measure(nuisance, 0.6)
    assert not found.sensed
    assert len(found.with_it) > 10
    assert len(found.without) > 10


async def test_the_command_prints_a_ratio_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["isolation", "--seconds", "0.3"]
    assert await run_with_deadline("isolation", lambda: main(argv), 60.0, lambda _: None) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(NUISANCES)
    assert all(line.count("ratio") == 2 for line in lines)

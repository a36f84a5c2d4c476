"""A disk that claims to have synced loses rows with the power, and dealing waits until the decks are verified."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pitwarden_client.events.outputs import Irregularity
from pitwarden_client.events.table import LogFault
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED, SimulatedTableSetup
from pitwarden_tools.campaign.retrying_terminals import PATIENCE_S, RetryingTerminal
from pitwarden_tools.campaign.stored import read
from pitwarden_tools.simulation.files import SimulatedFiles
from pitwarden_tools.simulation.machine_faults import restarted
from pitwarden_tools.simulation.night import EVENING
from pitwarden_tools.simulation.rig import SimulatedRig, make_rig
from pitwarden_tools.simulation.simulated_loop import LoopClock, SimulatedLoop
from pitwarden_tools.simulation.substitutes import substituted

LIES_FROM, POWER_CUT = 40, 60
"""Actions of the people before which the disk begins to lie, and power fails."""


class People(RetryingTerminal):
    """People who verify the decks where the table says that its record, or data of a device, was lost."""

    def _in_doubt(self) -> bool:
        return any(case.catalogue in {"PW-FORK", "PW-GAP", "PW-LOG"} for case in self._desk().open)


async def played(rig: SimulatedRig, before: Callable[[int], Awaitable[None]]) -> None:
    """Play two rounds, and stop the service in order once dealing is permitted again."""
    for process in rig.processes.values():
        await process.start()
    await rig.until(lambda: rig.state is not None, PATIENCE_S, "the judge's first state")
    people = People(rig, before)
    await people.play(TableNight(rig.built.table, 4).script())
    await people.settle()
    for process in rig.processes.values():
        await process.stop()


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("setup", [TAB_SHIELDED, CB_AUTO], ids=lambda setup: setup.table)
def test_lost_rows_are_named_and_dealing_waits_until_the_decks_are_verified(
    setup: SimulatedTableSetup, tmp_path: Path
) -> None:
    files, loop = SimulatedFiles(), SimulatedLoop()
    rig = make_rig(setup, "lies", tmp_path, LoopClock(loop, EVENING), files)
    table = rig.processes["field"]
    lost: list[tuple[int, int]] = []

    async def before(action: int) -> None:
        if action == LIES_FROM:
            table.disk_lies = True
        if action == POWER_CUT:
            end = rig.view.end()
            table.die(power=True)
            table.disk_lies = False
            await restarted([table], rig.random)
            await rig.until(lambda: rig.view.end() not in {None, end}, PATIENCE_S, "the first row after the power cut")
            now = rig.view.end()
            assert end is not None
            assert now is not None
            lost.append((end.place, now.place))

    files.install()
    try:
        with asyncio.Runner(loop_factory=lambda: loop) as runner, substituted(rig.broker, rig.random):
            runner.run(played(rig, before))
    finally:
        files.remove()
    [(had, has)] = lost
    assert has < had, "the disk kept what it had not synced: the test proves nothing"
    stored = read(tmp_path)
    faults = {row.data.fault for row in stored.rows if isinstance(row.data, LogFault)}
    assert faults & {"forked", "journal_damaged"}
    named = {output.data.catalogue for output in stored.outputs if isinstance(output.data, Irregularity)}
    assert named & {"PW-FORK", "PW-LOG"}
    assert "PW-GAP" in named
    assert rig.state is not None
    assert rig.state.permit.granted

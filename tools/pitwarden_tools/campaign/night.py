"""One night of a campaign, and its faults of the service."""

import asyncio
import sqlite3
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.table.night import TableNight
from pitwarden_tools.campaign.broker import Broker
from pitwarden_tools.campaign.disk import small_disk
from pitwarden_tools.campaign.processes import PARTS_APART, PARTS_TOGETHER
from pitwarden_tools.campaign.retrying_terminals import PATIENCE_S, RetryingTerminal
from pitwarden_tools.campaign.rig import Rig, rig
from pitwarden_tools.campaign.schedule import NightPlan, Planned
from pitwarden_tools.campaign.stored import Stored, audited, read
from pitwarden_tools.campaign.verdict import wrongs


@dataclass(frozen=True, slots=True)
class NightResult:
    """Result of a night: the number of faults, of events, inputs and verdicts that were checked, and what was wrong."""

    plan: NightPlan
    faults: int
    events: int
    inputs: int
    outputs: int
    epochs: int
    wrong: tuple[str, ...]


async def play_night(plan: NightPlan, program: str, folder: Path) -> NightResult:
    """Play `plan` in the new `folder` with the mosquitto at `program`, and check it."""
    played = await played_out(plan, program, folder)
    table, stored = played.table, played.stored
    wrong = (*played.wrong, *table.processes.wrong, *wrongs(table, stored), *await audited(table))
    epochs = len({row.epoch for row in stored.rows})
    return NightResult(plan, played.faults, len(table.truth), len(table.accepted), len(stored.outputs), epochs, wrong)


@dataclass(frozen=True, slots=True)
class PlayedNight:
    """Night that is over: the table and the content of its journals. `wrong`: what kept people from playing on."""

    table: Rig
    stored: Stored
    faults: int
    wrong: tuple[str, ...]


async def played_out(plan: NightPlan, program: str, folder: Path) -> PlayedNight:
    """Play `plan` without a check."""
    await asyncio.to_thread(folder.mkdir)
    parts = PARTS_APART if plan.apart else PARTS_TOGETHER
    wrong: list[str] = []
    journals = small_disk(folder / "journals") if plan.fills_disk else nullcontext()
    with journals, Broker(program, folder / "broker") as broker:
        async with rig(plan.setup, plan.seed, broker, folder, parts) as table:
            faults = Faults(plan, table)
            try:
                async with asyncio.TaskGroup() as group:
                    faults.group = group
                    await _evening(plan, table, faults)
            except* DemoError as failed:
                wrong += [str(each) for each in failed.exceptions]
            for part in parts:
                await table.processes.stop(part)
    try:
        stored = read(folder / "journals")
    except sqlite3.DatabaseError as error:
        stored = Stored((), (), (), ())
        wrong.append(f"the journals cannot be read: {error}")
    return PlayedNight(table, stored, faults.done, tuple(wrong))


async def _evening(plan: NightPlan, table: Rig, faults: "Faults") -> None:
    await table.until(lambda: table.state is not None, PATIENCE_S, "the judge's first state")
    people = RetryingTerminal(table, faults.before)
    await people.play(TableNight(table.built.table, rounds_for(plan)).script())
    await faults.over()
    await people.settle()


def rounds_for(plan: NightPlan) -> int:
    """Return enough rounds for all faults of the night to find their action."""
    last = plan.faults[-1].action if plan.faults else 0
    return 2 + last // 25


class Faults:
    """Injector that starts each fault of a night at its action, once the previous one has ended."""

    group: asyncio.TaskGroup

    def __init__(self, plan: NightPlan, table: Rig) -> None:
        self.left = list(plan.faults)
        self._table = table
        self._running: asyncio.Task[None] | None = None
        self.done = 0

    async def before(self, action: int) -> None:
        """Start the fault that is due before the people's action number `action`."""
        if self.left and self.left[0].action <= action:
            await self.over()
            self._running = self.group.create_task(self._do(self.left.pop(0)), name="campaign fault")

    async def over(self) -> None:
        """Wait until no fault is active."""
        if self._running is not None:
            await self._running
            self._running = None

    async def _do(self, planned: Planned) -> None:
        await asyncio.sleep(planned.after_s)
        await planned.kind.do(self._table, Random(planned.seed))
        self.done += 1

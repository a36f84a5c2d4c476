"""One simulated night: a table is played while faults come, and everything is checked when it is over."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import SimulatedTableSetup
from pitwarden_tools.campaign.retrying_terminals import PATIENCE_S, RetryingTerminal
from pitwarden_tools.simulation.checks import wrong_after
from pitwarden_tools.simulation.files import SimulatedFiles
from pitwarden_tools.simulation.kinds import BY_NAME
from pitwarden_tools.simulation.rig import SimulatedRig, make_rig
from pitwarden_tools.simulation.simulated_loop import LoopClock, SimulatedLoop, do_nothing
from pitwarden_tools.simulation.substitutes import substituted

EVENING: Final = 1_772_474_400_000
"""2 March 2026, 18:00 UTC: no gaming day begins within a night of 12 hours."""
_MEMORY: Final = Path("/dev/shm")  # noqa: S108  a private folder in it; nights need many commits, and no disk


@dataclass(frozen=True, slots=True)
class ScheduledFault:
    """Fault before the people's action number `action`. `at_once`: it does not wait for the end of the one before."""

    action: int
    kind: str
    seed: str
    at_once: bool


@dataclass(frozen=True, slots=True)
class FaultyNightPlan:
    """Plan of a night: its table, its cards by `seed`, its rounds and its faults."""

    number: int
    setup: SimulatedTableSetup
    seed: str
    rounds: int
    faults: tuple[ScheduledFault, ...]


@dataclass(frozen=True, slots=True)
class FaultyNightResult:
    """Result of a night: what came, how much was checked, what was wrong."""

    number: int
    seed: str
    table: str
    came: Counter[str]
    pairs: Counter[tuple[str, str]]
    """Kinds that were active at the same time."""
    starts: int
    rows: int
    outputs: int
    reveals: int
    epochs: int
    seconds: float
    """Simulated seconds."""
    processor_s: float
    """Seconds of a processor that the night took; the only figure that another run of it does not repeat."""
    digest: str
    """SHA-256 of the order of everything that was published, without what is random by design."""
    wrong: tuple[str, ...]


@dataclass
class FaultInjector:
    """Injector of a night's faults, in the order of the plan."""

    plan: FaultyNightPlan
    rig: SimulatedRig
    group: asyncio.TaskGroup
    came: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    _left: list[ScheduledFault] = field(default_factory=list)
    _running: dict[asyncio.Task[None], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take the faults of the plan."""
        self._left = list(self.plan.faults)

    async def before(self, action: int) -> None:
        """Start the faults that are due before the people's action number `action`."""
        self.rig.published.acted()
        while self._left and self._left[0].action <= action:
            due = self._left.pop(0)
            if not due.at_once:
                await self.over()
            for other in self._running.values():
                self.pairs[min(other, due.kind), max(other, due.kind)] += 1
            task = self.group.create_task(self._inject(due), name=f"fault {due.kind}")
            self._running[task] = due.kind
            task.add_done_callback(lambda done: self._running.pop(done, None))

    async def over(self) -> None:
        """Wait until no fault is active."""
        while self._running:
            await asyncio.wait(list(self._running))

    async def _inject(self, due: ScheduledFault) -> None:
        if await BY_NAME[due.kind].inject(self.rig, Random(due.seed)):
            self.came[due.kind] += 1


def play_simulated(plan: FaultyNightPlan) -> FaultyNightResult:
    """Play a night on simulated time, and check it."""
    files = SimulatedFiles()
    files.install()
    try:
        with TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
            return _play(plan, Path(folder), files)
    finally:
        files.remove()


def _play(plan: FaultyNightPlan, folder: Path, files: SimulatedFiles) -> FaultyNightResult:
    began = time.process_time()
    loop = SimulatedLoop()
    clock = LoopClock(loop, EVENING)
    rig = make_rig(plan.setup, plan.seed, folder, clock, files)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        with substituted(rig.broker, rig.random):
            waiting = rig.faults.waiting
            loop.turned = lambda: _turn(rig) if waiting else None
            # An unhandled exception in a callback is a bug of the service.
            loop.set_exception_handler(lambda _loop, context: rig.published.wrong.append(str(context)))
            came, pairs, wrong = runner.run(_night(plan, rig))
            loop.turned = do_nothing
        found = runner.run(wrong_after(rig))
    rows, outputs = found.rows, found.outputs
    return FaultyNightResult(
        plan.number, plan.seed, plan.setup.table, came, pairs, sum(each.starts for each in rig.processes.values()),
        rows, outputs, rig.published.reveals, found.epochs, loop.time(), time.process_time() - began,
        rig.published.digest(),
        (*wrong, *found.wrong),
    )  # fmt: skip


def _turn(rig: SimulatedRig) -> None:
    """Kill what is to be killed at this turn of the loop."""
    for half, process in rig.processes.items():
        if not process.dead:
            fault = rig.faults.take("turn", half)
            if fault is not None:
                process.die(power=fault.what.endswith("power"))


async def _night(plan: FaultyNightPlan, rig: SimulatedRig) -> tuple[Counter[str], Counter[tuple[str, str]], list[str]]:
    wrong: list[str] = []
    for process in rig.processes.values():
        await process.start()
    injector: FaultInjector | None = None
    try:
        async with asyncio.TaskGroup() as group:
            injector = FaultInjector(plan, rig, group)
            await rig.until(lambda: rig.state is not None, PATIENCE_S, "the judge's first state")
            people = RetryingTerminal(rig, injector.before)
            await people.play(TableNight(rig.built.table, plan.rounds).script())
            await injector.over()
            await people.settle()
            rig.published.acted()
    except* (DemoError, RuntimeError, LookupError) as failed:
        wrong += [str(each) for each in failed.exceptions]
    for process in rig.processes.values():
        await process.stop()
        wrong += process.wrong
    if injector is None:
        raise RuntimeError("the group of tasks was not begun")
    return injector.came, injector.pairs, wrong

"""Complete night in one process on simulated time: both real halves, real dialogues, seals, journals and messages.

Only the substitutes that `night_seams` lists, the broker and the cables are not real. Equal nights are equal
observations.
"""

import asyncio
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from pitwarden.metrics.meter import Meter
from pitwarden_client.events.topics import Topics
from pitwarden_simulators.cards import Card
from pitwarden_simulators.demo.watch import Watch
from pitwarden_simulators.faults.fault import Fault
from pitwarden_simulators.ports.memory import NullModem
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import SimulatedTableSetup
from pitwarden_simulators.table.shuffling import Arrange
from pitwarden_simulators.table.table import SimulatedTable
from pitwarden_simulators.table.table_builder import build
from pitwarden_tools.simulation.halves import SITE
from pitwarden_tools.simulation.simulated_loop import LoopClock, SimulatedLoop
from testkit.brokers.memory_broker import MemoryBroker
from testkit.nights.in_memory_night import EVENING
from testkit.secrecy.card_truth import CardTruth, WatchedReader
from testkit.secrecy.observations import Observations
from testkit.simulated_service.restarts import EpochFollower, PatientOperators, RestartingService
from testkit.simulated_service.substitutes import substituted

_MEMORY = Path("/dev/shm")  # noqa: S108  a private folder in it; nights need many commits, and no disk
_NOISE = bytes.fromhex("7e13ff7e0d0a7d7d00427e7e83000000070000007e")


@dataclass(frozen=True)
class SimulatedNightPlan:
    """Plan of a night: the table, its rounds, and what goes wrong in it.

    `mishaps` happen at the first opportunity, without cards laid for them; `reader_fails`: the first answer fails;
    `read_twice`: for what place the shoe reads its card twice;
    `keypad`: the dealer keys on a keypad alone, whose lamps are observed;
    `locks`: the judge may lock the shoe; `crashes`: after how many published rows the service dies and starts again.
    """

    setup: SimulatedTableSetup
    seed: str
    rounds: int
    faults: tuple[Fault, ...] = ()
    mishaps: frozenset[str] = frozenset()
    reader_fails: bool = False
    read_twice: Literal["", "burn", "first", "up", "second"] = ""
    locks: bool = False
    crashes: tuple[int, ...] = ()
    keypad: bool = False


@dataclass
class SimulatedNight:
    """A night that was played, with all observations."""

    observed: Observations
    truth: CardTruth
    table: SimulatedTable
    watch: Watch
    reader: WatchedReader | None = field(default=None)


@dataclass(frozen=True)
class NightRoom:
    """Surroundings of a night: time, broker, observer and oracle."""

    clock: LoopClock
    bus: MemoryBroker
    observed: Observations
    truth: CardTruth
    meter: Meter


class NightPlug:
    """Cable of one device."""

    def __init__(self, modem: NullModem) -> None:
        self._modem = modem

    def wake(self) -> None:
        self._modem.pump.wake()

    def unplug(self) -> None:
        self._modem.unplug()

    def replug(self) -> None:
        self._modem.plug()

    def noise(self) -> None:
        pump = self._modem.pump
        honest = pump.to_host

        def once(chunk: bytes) -> list[bytes]:
            pump.to_host = honest
            return [_NOISE, *honest(chunk)]

        pump.to_host = once


def play(programme: SimulatedNightPlan, change: Arrange | None = None, *, lies_at: int = 0) -> SimulatedNight:
    """Play a night. `change` is applied last to each shuffle; `lies_at`: see WatchedReader."""
    with TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        return play_in(Path(folder), programme, change, lies_at=lies_at)


def play_in(
    folder: Path, programme: SimulatedNightPlan, change: Arrange | None = None, *, lies_at: int = 0
) -> SimulatedNight:
    """Play a night as `play` does, and leave its journals in `folder`."""
    truth = CardTruth() if change is None else CardTruth(change)
    loop = SimulatedLoop()
    clock = LoopClock(loop, EVENING)
    meter = Meter()
    observed = Observations(clock.mono_ms, meter.text)
    bus = MemoryBroker(observed.message)
    with substituted(bus, observed.line, programme.seed), asyncio.Runner(loop_factory=lambda: loop) as runner:
        played = runner.run(_night(programme, folder, NightRoom(clock, bus, observed, truth, meter), lies_at))
    for name in ("field.sqlite", "judge.sqlite"):
        observed.read_journal(folder / name)
    return played


async def _night(programme: SimulatedNightPlan, folder: Path, room: NightRoom, lies_at: int) -> SimulatedNight:
    clock, bus, truth = room.clock, room.bus, room.truth
    setup = programme.setup
    built = build(setup, programme.seed, arrange=truth.arrange, keypad=programme.keypad)
    truth.watch(built.table)
    reader = None
    if built.table.reader is not None:
        reader = built.table.reader = WatchedReader(built.devices["reader"].memory, truth, lies_at)
        reader.fail_next = programme.reader_fails
    built.table.mishaps |= programme.mishaps
    built.table.shoe.reads_twice = programme.read_twice == "burn"
    if programme.read_twice:
        built.table.wanted[programme.read_twice] = partial(_reads_twice, built.table)
    modems = {name: NullModem(device, clock) for name, device in built.devices.items()}
    if programme.keypad:
        modems["keypad"].pump.to_device = room.observed.keypad_line
    topics = Topics(SITE, setup.table)
    watch = EpochFollower(topics, clock, lambda _output: None)
    for device in built.devices.values():
        device.memory.changed = watch.notify
    plugs = {name: NightPlug(modem) for name, modem in modems.items()}
    lockable = frozenset({"shoe"} if programme.locks else ())
    service = RestartingService(setup, clock, folder, modems, room.meter, lockable, programme.crashes)
    room.bus.taps.append(service.message)
    bus.subscribe(watch.filters[0], watch.message)
    people = PatientOperators(topics, watch, bus.publish, built.devices, plugs, run="night", speed=1)
    watch.service = people.service = service
    watch.people = people
    async with asyncio.TaskGroup() as group:
        group.create_task(service.run(), name="service")
        await watch.until(lambda: watch.state is not None, 60, "the judge's state")
        await people.play(TableNight(built.table, programme.rounds, programme.faults).script())
        service.stop.set()
    if service.died != len(programme.crashes):
        raise RuntimeError(f"{len(programme.crashes)} crashes were wanted, {service.died} came: play more rounds")
    truth.end()
    return SimulatedNight(room.observed, truth, built.table, watch, reader)


def _reads_twice(table: SimulatedTable, _card: Card) -> bool:
    """Draw the present card, and have it read twice."""
    table.shoe.reads_twice = True
    return True

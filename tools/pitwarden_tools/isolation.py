"""Tool `isolation`: how much a dead, babbling or flapping device delays the others (B21), as a ratio.

Four honest devices and one nuisance under the real supervisor and real ports, on ptys. Slices of time with the nuisance
and without it alternate in one run, so that what else the machine does weighs on both alike.
"""

import argparse
import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

from pitwarden.field.devices.runner import DeviceSpec
from pitwarden.field.devices.supervisor import DeviceSupervisor
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.device import DeviceHealth, ShoeCut
from pitwarden_drivers.api import DeviceReport, ExpectedDevice
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import PortAddress
from pitwarden_drivers.tdp import DRIVER
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.nuisance import Babbler, Dead
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.ports.pty import PtyPort

HONEST: Final = 4
SENSE_S: Final = 0.01
FLAP_S: Final = 0.05
SLICES: Final = 6
NUISANCES: Final = ("dead", "babbling", "flapping")


@dataclass
class _Latencies:
    """Microseconds from sensed to reported, with and without the nuisance; and events in transit."""

    without: list[float] = field(default_factory=list)
    with_it: list[float] = field(default_factory=list)
    sensed: dict[tuple[str, int], tuple[float, bool]] = field(default_factory=dict)


class _Table:
    """Honest devices and one more port, which is plugged in only in every other slice."""

    def __init__(self, folder: Path, nuisance: str) -> None:
        self.found = _Latencies()
        self.troubled = False
        self._clock = SystemClock()
        self._memories = {f"shoe{at}": Memory(1) for at in range(HONEST)}
        devices = {name: TdpDevice("shoe", name, memory) for name, memory in self._memories.items()}
        bad = Babbler(random.Random(0).randbytes) if nuisance == "babbling" else Dead()
        self._flaps = nuisance == "flapping"
        self._ports = {name: PtyPort(folder / name, device, self._clock) for name, device in devices.items()}
        self._bad = PtyPort(folder / "nuisance", bad, self._clock)
        self._posts = [
            DeviceSpec(name, PortAddress(str(port.link)), DRIVER, ExpectedDevice("shoe", name))
            for name, port in (*self._ports.items(), ("nuisance", self._bad))
        ]
        self.online: set[str] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the supervisor of all devices."""
        self._supervisor = DeviceSupervisor(
            self._posts, clock=self._clock, random=random.SystemRandom().random, ports=PortOpener(), sink=self
        )
        for port in self._ports.values():
            port.plug()
        task = asyncio.create_task(self._supervisor.run(), name="isolation")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            for port in (*self._ports.values(), self._bad):
                port.unplug()

    async def slice(self, seconds: float, *, troubled: bool) -> None:
        """Run a slice of time in which each honest device senses a hundred events a second."""
        self.troubled = troubled
        if troubled:
            self._bad.plug()
        loop = asyncio.get_running_loop()
        end, flap = loop.time() + seconds, loop.time() + FLAP_S
        while (now := loop.time()) < end:
            if troubled and self._flaps and now >= flap:
                flap = now + FLAP_S
                (self._bad.unplug if self._bad.plugged else self._bad.plug)()
            for name, port in self._ports.items():
                counter = self._memories[name].emit(ShoeCut())
                self.found.sensed[name, counter] = loop.time(), troubled
                port.pump.wake()
            await asyncio.sleep(SENSE_S)
        self._bad.unplug()
        while self.found.sensed:  # noqa: ASYNC110  events in transit belong to this slice
            await asyncio.sleep(SENSE_S)

    def report(self, name: str, report: DeviceReport) -> None:
        """Acknowledge an event and note how long it took."""
        if not report.counter:
            return
        self._supervisor.committed(name, report.boot, report.counter)
        at, troubled = self.found.sensed.pop((name, report.counter))
        took = (asyncio.get_running_loop().time() - at) * 1e6
        (self.found.with_it if troubled else self.found.without).append(took)

    def health(self, name: str, health: DeviceHealth) -> None:
        """Note that a device is online."""
        if health.state == "online":
            self.online.add(name)


async def measure(nuisance: str, seconds: float) -> _Latencies:
    """Return the latencies of the honest devices in a run of `seconds`, half of it with the nuisance."""
    with TemporaryDirectory(prefix="isolation-") as folder:
        table = _Table(Path(folder), nuisance)
        async with table.running():
            while len(table.online) < HONEST:  # noqa: ASYNC110  the supervisor opens and identifies
                await asyncio.sleep(SENSE_S)
            for at in range(SLICES):
                await table.slice(seconds / SLICES, troubled=at % 2 == 1)
        return table.found


class IsolationCommand:
    """Tool that measures the isolation of devices."""

    name = "isolation"
    help = "how much a dead, babbling or flapping device delays the others, as a ratio"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--seconds", type=float, default=12.0, help="how long for each nuisance (default: 12)")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0: every event arrived. A person judges the ratios."""
        for nuisance in NUISANCES:
            found = asyncio.run(measure(nuisance, args.seconds))
            print(f"{nuisance:9}  {_ratio('median', median, found)}; {_ratio('p99', _p99, found)}")  # noqa: T201  the command's answer
        return 0


def _ratio(word: str, of: Callable[[list[float]], float], found: _Latencies) -> str:
    without, with_it = of(found.without), of(found.with_it)
    return f"{word} {without:.0f} us without, {with_it:.0f} us with: ratio {with_it / without:.2f}"


def _p99(values: list[float]) -> float:
    return quantiles(values, n=100)[-1]


COMMAND = IsolationCommand()

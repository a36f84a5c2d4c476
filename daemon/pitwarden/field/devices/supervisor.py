"""Supervisor of all devices of a table: one task each, so that a dead device slows no other."""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pitwarden.config.models import DeviceSection
from pitwarden.field.devices.runner import DeviceRunner, DeviceSpec, PortProvider, ReportSink
from pitwarden.journal.records import DevicePosition
from pitwarden.system.clock import Clock
from pitwarden_client.events.device import CommandName
from pitwarden_client.events.keypad import Lamps
from pitwarden_drivers.api import Driver, ExpectedDevice, LineStats
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import PortAddress


class DeviceSupervisor:
    """Supervisor of the devices of one table. Its methods are called in the event loop and never block.

    `ports` opens the ports: those of the machine, or those of a test.
    """

    def __init__(
        self,
        specs: Sequence[DeviceSpec],
        *,
        clock: Clock,
        random: Callable[[], float],
        ports: PortProvider,
        sink: ReportSink,
    ) -> None:
        self._runners = {
            spec.name: DeviceRunner(spec, clock=clock, random=random, ports=ports, sink=sink) for spec in specs
        }

    async def run(self) -> None:
        """Run until cancelled; every port is closed then."""
        async with asyncio.TaskGroup() as tasks:
            for name, runner in self._runners.items():
                tasks.create_task(runner.run(), name=f"device {name}")

    def committed(self, device: str, boot: int, counter: int) -> None:
        """Acknowledge to `device` that all its events up to `counter` of `boot` are in the log."""
        self._runners[device].committed(boot, counter)

    def command(self, device: str, request: str, command: CommandName) -> None:
        """Send a command. Its outcome always arrives as a `DeviceCommand` report."""
        self._runners[device].command(request, command)

    def rewind(self, device: str, boot: int, counter: int) -> None:
        """Request again the events of `device` after this position; the log refused them."""
        self._runners[device].rewind(boot, counter)

    def show(self, device: str, lamps: Lamps) -> None:
        """Display `lamps` at `device`, as soon as it is present."""
        self._runners[device].show(lamps)

    @property
    def progress(self) -> dict[str, int]:
        """Number for each device that grows at least every ten seconds while its task lives."""
        return {name: runner.progress for name, runner in self._runners.items()}

    @property
    def stats(self) -> dict[str, LineStats]:
        """Statistics of each device's line since its port was last opened."""
        return {name: runner.stats for name, runner in self._runners.items()}


_NEVER = DevicePosition(0, 0)


@dataclass(frozen=True, slots=True)
class SupervisedDevices:
    """Factory of the devices of `sections`; `driver_named` finds the driver that a section names.

    `simulated`: whether the table is marked so; only then may a program stand in the place of a device.
    """

    sections: Mapping[str, DeviceSection]
    clock: Clock
    driver_named: Callable[[str], Driver]
    simulated: bool

    def make(self, marks: Mapping[str, DevicePosition], sink: ReportSink) -> DeviceSupervisor:
        """Return a supervisor for the devices; `marks` are the newest position of each in the log."""
        named = self.driver_named
        return DeviceSupervisor(
            [_spec(name, section, named, marks.get(name, _NEVER)) for name, section in self.sections.items()],
            clock=self.clock,
            random=random.SystemRandom().random,
            ports=PortOpener(simulated=self.simulated),
            sink=sink,
        )


def _spec(name: str, section: DeviceSection, driver_named: Callable[[str], Driver], mark: DevicePosition) -> DeviceSpec:
    return DeviceSpec(
        name=name,
        line=PortAddress(section.port, section.baud),
        driver=driver_named(section.driver),
        expected=ExpectedDevice(section.family, section.serial, section.firmware, mark.boot, mark.counter),
        stale_after_ms=section.stale_after_ms,
    )

"""Runs every device of a table; device specifications from the table file.

Keeps every device of a table talking: one task each, so that a dead one slows no other (B21).

The devices of the table file as specs to be kept, each believed only when it says who is expected there.
"""

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
    """The devices of one table. Its methods are called in the event loop and never block.

    `ports` are the machine's, or a test's own.
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
        """Runs until cancelled; every port is closed then."""
        async with asyncio.TaskGroup() as tasks:
            for name, runner in self._runners.items():
                tasks.create_task(runner.run(), name=f"device {name}")

    def committed(self, device: str, boot: int, counter: int) -> None:
        """All events of `device` up to `counter` of `boot` are in the log: they are acknowledged to it."""
        self._runners[device].committed(boot, counter)

    def command(self, device: str, request: str, command: CommandName) -> None:
        """Sends a command; its outcome comes as a `DeviceCommand` report, always."""
        self._runners[device].command(request, command)

    def rewind(self, device: str, boot: int, counter: int) -> None:
        """What was reported after this position did not get into the log: the device is asked for it again."""
        self._runners[device].rewind(boot, counter)

    def show(self, device: str, lamps: Lamps) -> None:
        """The lamps of `device` shall show this, as soon as it is there."""
        self._runners[device].show(lamps)

    @property
    def progress(self) -> dict[str, int]:
        """A number for each device that grows at least every ten seconds while its task lives."""
        return {name: runner.progress for name, runner in self._runners.items()}

    @property
    def stats(self) -> dict[str, LineStats]:
        """What was thrown away on each device's line since its port was last opened."""
        return {name: runner.stats for name, runner in self._runners.items()}


_NEVER = DevicePosition(0, 0)


@dataclass(frozen=True, slots=True)
class SupervisedDevices:
    """Factory of the devices of `sections`; `driver_named` finds the driver that a section names."""

    sections: Mapping[str, DeviceSection]
    clock: Clock
    driver_named: Callable[[str], Driver]

    def make(self, marks: Mapping[str, DevicePosition], sink: ReportSink) -> DeviceSupervisor:
        """Return a supervisor for the devices; `marks` are the newest position of each in the log."""
        named = self.driver_named
        return DeviceSupervisor(
            [_spec(name, section, named, marks.get(name, _NEVER)) for name, section in self.sections.items()],
            clock=self.clock,
            random=random.SystemRandom().random,
            ports=PortOpener(),
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

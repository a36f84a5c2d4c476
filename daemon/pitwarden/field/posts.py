"""The devices of the table file as posts to be kept, each believed only when it says who is expected there."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pitwarden.config.models import DeviceSection
from pitwarden.field.keeper import Post, ReportSink
from pitwarden.field.supervisor import Supervisor
from pitwarden.journal.records import DeviceMark
from pitwarden.system.clock import Clock
from pitwarden_drivers.api import Driver, Expected
from pitwarden_drivers.ports.api import Line
from pitwarden_drivers.ports.opening import Ports

_NEVER = DeviceMark(0, 0)


@dataclass(frozen=True, slots=True)
class SupervisedDevices:
    """Factory of the devices of `sections`; `driver_named` finds the driver that a section names."""

    sections: Mapping[str, DeviceSection]
    clock: Clock
    driver_named: Callable[[str], Driver]

    def make(self, marks: Mapping[str, DeviceMark], sink: ReportSink) -> Supervisor:
        """Return a supervisor for the devices; `marks` are the newest position of each in the log."""
        named = self.driver_named
        return Supervisor(
            [_post(name, section, named, marks.get(name, _NEVER)) for name, section in self.sections.items()],
            clock=self.clock,
            random=random.SystemRandom().random,
            ports=Ports(),
            sink=sink,
        )


def _post(name: str, section: DeviceSection, driver_named: Callable[[str], Driver], mark: DeviceMark) -> Post:
    return Post(
        name=name,
        line=Line(section.port, section.baud),
        driver=driver_named(section.driver),
        expected=Expected(section.family, section.serial, section.firmware, mark.boot, mark.counter),
        stale_after_ms=section.stale_after_ms,
    )

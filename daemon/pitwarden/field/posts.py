"""The devices of the table file as posts to be kept, each believed only when it says who is expected there."""

import random
from collections.abc import Callable, Mapping

from pitwarden.clock import Clock
from pitwarden.config.models import DeviceSection
from pitwarden.field.devices import Devices, MakeDevices, OnHealth, OnReport
from pitwarden.field.keeper import Post
from pitwarden.field.supervisor import Supervisor
from pitwarden.journal.rows import DeviceMark
from pitwarden_drivers.api import Driver, Expected
from pitwarden_drivers.ports.api import Line
from pitwarden_drivers.ports.opening import Ports

_NEVER = DeviceMark(0, 0)


def supervised(
    sections: Mapping[str, DeviceSection], clock: Clock, driver_named: Callable[[str], Driver]
) -> MakeDevices:
    """Makes the supervisor for `sections`, given the marks that tell where the log ends with each device."""

    def make(marks: Mapping[str, DeviceMark], on_report: OnReport, on_health: OnHealth) -> Devices:
        return Supervisor(
            [_post(name, section, driver_named, marks.get(name, _NEVER)) for name, section in sections.items()],
            clock=clock,
            random=random.SystemRandom().random,
            open_port=Ports().open,
            on_report=on_report,
            on_health=on_health,
        )

    return make


def _post(name: str, section: DeviceSection, driver_named: Callable[[str], Driver], mark: DeviceMark) -> Post:
    return Post(
        name=name,
        line=Line(section.port, section.baud),
        driver=driver_named(section.driver),
        expected=Expected(section.family, section.serial, section.firmware, mark.boot, mark.counter),
        stale_after_ms=section.stale_after_ms,
    )

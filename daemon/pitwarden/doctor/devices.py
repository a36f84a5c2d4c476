"""Examination of the devices: present, accessible, and the configured ones.

They are queried directly, or their status is read from a running service.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pitwarden.config.models import DeviceSection
from pitwarden.doctor.accounts import may_open
from pitwarden.doctor.findings import DoctorFinding, passed
from pitwarden.field.devices.supervisor import SupervisedDevices
from pitwarden.system.clock import Clock
from pitwarden_client.events.device import DeviceHealth, DeviceIdentified
from pitwarden_client.events.status import DeviceStatus
from pitwarden_drivers.api import DeviceReport, Driver
from pitwarden_drivers.ports.addresses import is_url

# Seconds for the reply of a device. Opening a port may reboot a small one, which takes two seconds.
ASK_S: Final = 6.0
_WHY: Final = (
    "a device that is absent, not identified or not the configured one is not believed, and dealing is withheld"
)


def check_port(name: str, section: DeviceSection, account: str) -> DoctorFinding | None:
    """Return a finding about the device's port in the file system; None when the service's `account` can use it."""
    subject = f"device {name}"
    if is_url(section.port):
        return None
    port = Path(section.port)
    if not port.exists():
        return DoctorFinding(
            "bad", subject, f"{port} is not there", _WHY,
            "see the cable and power; then ls -l /dev/serial/by-id /dev/pitwarden, and correct the table file",
        )  # fmt: skip
    if not may_open(port, account):
        return DoctorFinding(
            "bad", subject, f"{port}: the account {account} has no right to open it", _WHY,
            "name it in /etc/udev/rules.d/70-pitwarden.rules; then udevadm control --reload && udevadm trigger",
        )  # fmt: skip
    return None


def check_reported_device(name: str, section: DeviceSection, status: DeviceStatus) -> DoctorFinding:
    """Return a finding about the device's status as the running service publishes it."""
    subject = f"device {name}"
    if status.state == "online":
        return _known(name, section, status.serial, status.firmware)
    return DoctorFinding(
        "bad", subject, f"{status.state}: {status.reason}", _WHY, "see the cable and power of the device"
    )


class _Answers:
    """Replies of the devices so far."""

    def __init__(self) -> None:
        self.healths: dict[str, DeviceHealth] = {}
        self.identified: dict[str, DeviceIdentified] = {}
        self.news = asyncio.Event()

    def report(self, device: str, report: DeviceReport) -> None:
        if isinstance(report.said, DeviceIdentified):
            self.identified[device] = report.said
            self.news.set()

    def health(self, device: str, health: DeviceHealth) -> None:
        self.healths[device] = health
        self.news.set()


async def query_devices(
    sections: Mapping[str, DeviceSection], clock: Clock, driver_named: Callable[[str], Driver], *, simulated: bool
) -> list[DoctorFinding]:
    """Return what the devices themselves reply within ASK_S seconds.

    No event is acknowledged to them, so none is lost.
    """
    answers = _Answers()
    health, known = answers.healths, answers.identified
    devices = SupervisedDevices(sections, clock, driver_named, simulated=simulated).make({}, answers)
    running = asyncio.create_task(devices.run(), name="doctor devices")
    try:
        async with asyncio.timeout(ASK_S):
            while not all(name in known or _is_lost(health.get(name)) for name in sections):
                await answers.news.wait()
                answers.news.clear()
    except TimeoutError:
        pass
    finally:
        running.cancel()
        await asyncio.wait({running})
    return [_answer(name, section, health.get(name), known.get(name)) for name, section in sections.items()]


def _is_lost(health: DeviceHealth | None) -> bool:
    """Return whether the reply is negative and waiting longer cannot change it."""
    return health is not None and health.state == "lost"


def _answer(
    name: str, section: DeviceSection, health: DeviceHealth | None, known: DeviceIdentified | None
) -> DoctorFinding:
    if known is not None:
        return _known(name, section, known.serial, known.firmware)
    reason = "it does not answer" if health is None else health.reason
    return DoctorFinding(
        "bad", f"device {name}", reason, _WHY, "see the cable and power, and that no other program has it open"
    )


def _known(name: str, section: DeviceSection, serial: str, firmware: str) -> DoctorFinding:
    subject = f"device {name}"
    if serial != section.serial:
        said = f"it is {serial}, and the table file wants {section.serial}"
        return DoctorFinding(
            "bad", subject, said, _WHY, "plug in the right device, or change the table file and restart"
        )
    if section.firmware and firmware not in section.firmware:
        said = f"its firmware is {firmware}, and approved are {', '.join(section.firmware)}"
        return DoctorFinding("bad", subject, said, _WHY, "have the device brought to an approved firmware")
    return passed(subject, f"{serial}, firmware {firmware or 'not said'}")

"""Intake of device reports: from the drivers to the log, and acknowledgements back.

Invariant: a device is acknowledged only what is committed. Reports that the full log refuses are requested again.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final, Protocol

from pitwarden.field.devices.runner import ReportSink
from pitwarden.field.log.row_builder import PendingRow, RowSink
from pitwarden.journal.records import DevicePosition
from pitwarden.system.tasks import Probe
from pitwarden_client.events.device import CommandName, DeviceHealth, DeviceRestarted, KeypadEntry
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.keypad import Lamps
from pitwarden_drivers.api import DeviceReport, LineStats

# Seconds without progress after which the watchdog counts a device's task as stalled. The task wakes at least every
# ten seconds by its own timer; the rest is margin.
DEVICE_S: Final = 12.0


class DeviceGroup(Protocol):
    """The supervised devices of a table."""

    async def run(self) -> None:
        """Run every dialogue until cancelled."""
        ...

    @property
    def progress(self) -> Mapping[str, int]:
        """Number for each device that grows at least every ten seconds while its task lives."""
        ...

    @property
    def stats(self) -> Mapping[str, LineStats]:
        """Statistics of each device's line since its port was last opened."""
        ...

    def committed(self, device: str, boot: int, counter: int) -> None:
        """Acknowledge that all events of `device` up to `counter` of `boot` are committed."""
        ...

    def rewind(self, device: str, boot: int, counter: int) -> None:
        """Request again all events of `device` after this position."""
        ...

    def show(self, device: str, lamps: Lamps) -> None:
        """Display `lamps` at `device`."""
        ...

    def command(self, device: str, request: str, command: CommandName) -> None:
        """Send a command. Its outcome always arrives as a `DeviceCommand` report."""
        ...


class DeviceFactory(Protocol):
    """The devices of a table file."""

    def make(self, marks: Mapping[str, DevicePosition], sink: ReportSink) -> DeviceGroup:
        """Return the devices, which report to `sink`; `marks` are the newest position of each in the log."""
        ...


class EntryMeaning(Protocol):
    """Meaning of what is keyed at devices."""

    def translate(self, device: str, entry: KeypadEntry, boot: int, counter: int) -> KeypadEntry | InputLogged:
        """Return the event to log: an input where `entry` at `device` means one, else the entry itself."""
        ...


def device_probes(devices: DeviceGroup) -> list[Probe]:
    """Return a liveness probe for the task of each device."""
    return [
        Probe(f"device {name}", partial(_progress_of, devices, name), _do_nothing, DEVICE_S)
        for name in devices.progress
    ]


def _progress_of(devices: DeviceGroup, name: str) -> int:
    return devices.progress[name]


def _do_nothing() -> None:
    """Do nothing: a device task wakes on its own timer."""


class DeviceIntake:
    """Intake of reports: it offers them to the log and acknowledges them to their device after the commit.

    A device whose report was refused is ignored until the log is idle. Then all its events from the refused one on are
    requested again, so that their order stays intact.
    """

    def __init__(
        self,
        marks: Mapping[str, DevicePosition],
        log: RowSink,
        factory: DeviceFactory,
        meaning: EntryMeaning,
    ) -> None:
        self._log, self._meaning = log, meaning
        self._last = dict(marks)
        self._refused: set[str] = set()
        self.devices = factory.make(marks, self)

    def log_idle(self) -> None:
        """Handle that the log has committed all offered rows."""
        for device in sorted(self._refused):
            mark = self._last.get(device, DevicePosition(0, 0))
            self.devices.rewind(device, mark.boot, mark.counter)
        self._refused.clear()

    def logged(self, row: LogEvent) -> None:
        """Handle a committed row: acknowledge it to the device that stores it until then."""
        if row.devicecounter:
            self.devices.committed(row.source.rpartition("/")[2], row.deviceboot, row.devicecounter)

    def report(self, device: str, report: DeviceReport) -> None:
        """Offer a report of `device` to the log."""
        if report.counter == 0:
            taken = self._log.offer(PendingRow(device, report.said, boot=report.boot))
            if taken and isinstance(report.said, DeviceRestarted):
                self._last[device] = DevicePosition(report.said.boot, 0)
            return
        if device in self._refused:
            return
        boot, counter, said = report.boot, report.counter, report.said
        content = self._meaning.translate(device, said, boot, counter) if isinstance(said, KeypadEntry) else said
        taken = self._log.offer(PendingRow(device, content, boot=boot, counter=counter))
        if taken:
            self._last[device] = DevicePosition(boot, counter)
        else:
            self._refused.add(device)

    def health(self, device: str, health: DeviceHealth) -> None:
        """Offer a change of the health of `device` to the log."""
        self._log.offer(PendingRow(device, health))

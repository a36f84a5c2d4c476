"""Retained statuses, and the faults they show.

The retained statuses of a table's devices and of the field half; all said again on every new connection.

What is wrong with a field half itself: said in the status, and in the log for the rules to hear.
"""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

import structlog

from pitwarden.bus.messages import StatusLink
from pitwarden.field.log.row_builder import PendingRow
from pitwarden.field.log.sequencer import OWN, LogSequencer
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.salvage_process import salvage_in_child
from pitwarden_client.events.codec import encode
from pitwarden_client.events.device import DeviceEvent, DeviceHealth, DeviceIdentified
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.status import DeviceStatus, PartStatus
from pitwarden_client.events.table import LogFault
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import BusError, TakenOverError

UNSEEN: Final = DeviceStatus(state="lost", reason="not seen yet")


class StatusPublisher:
    """Follows the log and publishes what changed. `devices` maps each device's name to its serial number."""

    def __init__(self, topics: Topics, devices: Mapping[str, str], run: str, link: StatusLink) -> None:
        self._topics, self._run, self._link = topics, run, link
        self._devices = {ident: UNSEEN.model_copy(update={"serial": serial}) for ident, serial in devices.items()}
        self._faults: dict[str, tuple[str, ...]] = {}

    def online(self) -> PartStatus:
        """The field half's own status."""
        faults = sorted({fault for faults in self._faults.values() for fault in faults})
        return PartStatus(online=True, run=self._run, faults=tuple(faults[:32]), version=version("pitwarden"))

    @property
    def devices(self) -> Mapping[str, DeviceStatus]:
        """What is known of each device."""
        return self._devices

    def fault(self, part: str, names: tuple[str, ...]) -> None:
        """`part` has these faults now, and no others."""
        if self._faults.get(part, ()) != names:
            self._faults[part] = names
            self._link.publish_online()

    def logged(self, row: LogEvent) -> None:
        """A row was committed."""
        device = row.source.rpartition("/")[2]
        known = self._devices.get(device)
        if known is None or not isinstance(row.data, DeviceEvent):
            return
        said: dict[str, object] = {"last_seen_logms": row.logms}
        if isinstance(row.data, DeviceHealth):
            said = {"state": row.data.state, "reason": row.data.reason}
        elif isinstance(row.data, DeviceIdentified):
            said |= {"serial": row.data.serial, "firmware": row.data.firmware}
        changed = known.model_copy(update=said)
        self._devices[device] = changed
        if isinstance(row.data, DeviceHealth | DeviceIdentified):
            self._retain(self._topics.device_status(device), changed)

    def _retain(self, topic: str, status: DeviceStatus) -> None:
        self._link.publish(topic, encode(status), retain=True)

    def status_line(self) -> str:
        """Devices and faults in one line for a person."""
        devices = ", ".join(f"{name} {status.state}" for name, status in self._devices.items()) or "no devices"
        faults = self.online().faults
        return devices + (f"; FAULTS: {', '.join(faults)}" if faults else "")

    def publish_all(self) -> None:
        """Everything again, for a broker that may have forgotten it."""
        for device, status in self._devices.items():
            self._retain(self._topics.device_status(device), status)


_LINE = 500  # characters of one fault in a status

_log = structlog.get_logger()


class FieldFaults:
    """Of one table."""

    def __init__(self, journal: FieldJournal, log: LogSequencer, statuses: StatusPublisher) -> None:
        self._journal, self._rows, self._statuses = journal, log, statuses
        self._forked = False

    def set_aside(self) -> None:
        """Says that the journal of the last run was damaged, if it was."""
        if self._journal.damage is not None:
            self._log_damage(f"the old log is kept as {self._journal.damage.kept_as}")

    def damaged(self, reason: str) -> None:
        """Damage found while the service runs; the file is set aside at the next start."""
        self._statuses.fault("journal_content", ("journal_damaged",))
        self._log_damage(reason)

    async def salvage(self) -> None:
        """What can be read of a log that was set aside at the start; said in the status."""
        damage = self._journal.damage
        if damage is not None:
            found = await salvage_in_child(damage.kept_as)
            self._statuses.fault("salvage", (f"journal_damaged: {found}"[:_LINE],))

    def forked(self, reason: str) -> None:
        """This log is not the one that the judge knows; said once."""
        if not self._forked:
            self._forked = True
            _log.error("log.forked", reason=reason)
            self._statuses.fault("log", ("log_forked",))
            self._rows.offer(PendingRow(OWN, LogFault(fault="forked", detail=reason)))

    def delivery_refused(self, names: tuple[str, ...]) -> None:
        """Show `names` as what the broker refuses of the log; none when it takes rows again."""
        self._statuses.fault("delivery", names)

    def certificates(self, found: tuple[str, ...]) -> None:
        """Which certificates end soon."""
        self._statuses.fault("certificates", found)

    def linked(self) -> None:
        """The broker is there and the session is ours."""
        self._statuses.fault("link", ())
        self._statuses.publish_all()

    def link_lost(self, fault: BusError) -> None:
        """A second client under our id is a fault of its own; any other loss shows by itself."""
        if isinstance(fault, TakenOverError):
            self._statuses.fault("link", ("client_id_conflict",))
            self._rows.offer(PendingRow(OWN, LogFault(fault="client_id_conflict", detail=str(fault))))

    def _log_damage(self, reason: str) -> None:
        self._rows.offer(PendingRow(OWN, LogFault(fault="journal_damaged", detail=reason[:_LINE])))

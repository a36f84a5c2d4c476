"""Retained statuses of a field half and its devices, and the faults that they contain.

All statuses are published again on every new connection, since a broker may have lost them.
"""

from collections.abc import Mapping
from typing import Final

import structlog

from pitwarden.bus.messages import StatusLink
from pitwarden.config.models import InputsSection
from pitwarden.field.log.row_builder import PendingRow
from pitwarden.field.log.sequencer import OWN, LogSequencer
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.salvage_process import salvage_in_child
from pitwarden.journal.signatures import PastVerdict
from pitwarden.system.version import VERSION
from pitwarden_client.events.codec import encode
from pitwarden_client.events.device import DeviceEvent, DeviceHealth, DeviceIdentified
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.status import DeviceStatus, PartStatus
from pitwarden_client.events.table import LogFault
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import BusError, TakenOverError

UNSEEN: Final = DeviceStatus(state="lost", reason="not seen yet")


class StatusPublisher:
    """Publisher of statuses. It follows the log and publishes changes. `devices` maps names to serial numbers."""

    def __init__(
        self, topics: Topics, devices: Mapping[str, str], run: str, link: StatusLink, inputs: InputsSection,
        *, simulated: bool,
    ) -> None:  # fmt: skip
        self._topics, self._run, self._link, self._simulated = topics, run, link, simulated
        self._second_person = inputs.second_person
        self._devices = {ident: UNSEEN.model_copy(update={"serial": serial}) for ident, serial in devices.items()}
        self._faults: dict[str, tuple[str, ...]] = {}

    def online(self) -> PartStatus:
        """Return the field half's own status."""
        faults = sorted({fault for faults in self._faults.values() for fault in faults})
        return PartStatus(
            online=True, run=self._run, faults=tuple(faults[:32]), version=VERSION,
            broker=self._link.address, simulated=self._simulated, second_person=self._second_person,
        )  # fmt: skip

    @property
    def devices(self) -> Mapping[str, DeviceStatus]:
        """Last known status of each device."""
        return self._devices

    def fault(self, part: str, names: tuple[str, ...]) -> None:
        """Set the faults of one component of the half; empty for none."""
        if self._faults.get(part, ()) != names:
            self._faults[part] = names
            self._link.publish_online()

    def logged(self, row: LogEvent) -> None:
        """Handle a committed row."""
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
        """Return devices and faults in one line for `systemctl status`."""
        devices = ", ".join(f"{name} {status.state}" for name, status in self._devices.items()) or "no devices"
        faults = self.online().faults
        return devices + (f"; FAULTS: {', '.join(faults)}" if faults else "")

    def publish_all(self) -> None:
        """Publish all device statuses, for a broker that may have lost them."""
        for device, status in self._devices.items():
            self._retain(self._topics.device_status(device), status)


# Characters of one fault in a status, as its model allows; longer ones are cut.
_LINE = 500

_log = structlog.get_logger()


class FieldFaults:
    """Faults of a field half: published in its status and logged for the rules core."""

    def __init__(self, journal: FieldJournal, log: LogSequencer, statuses: StatusPublisher) -> None:
        self._journal, self._rows, self._statuses = journal, log, statuses
        self._forked = False

    def report_past(self, past: PastVerdict) -> None:
        """Report, as the first rows of the epoch, that the log of the last run was damaged or not signed."""
        damage = self._journal.damage
        if damage is not None and not damage.unsigned:
            self._log_damage(f"the old log is kept as {damage.kept_as}")
        elif damage is not None:
            self.forked(f"the past bears no signature, {past.reason}; it is kept as {damage.kept_as.name}"[:_LINE])
        elif past.state == "not_closed":
            self.forked(past.reason)
        elif past.state == "adopted":
            _log.warning("unsigned rows adopted", reason=past.reason)

    def damaged(self, reason: str) -> None:
        """Report damage found while the service runs. The file is quarantined at the next start."""
        self._statuses.fault("journal_content", ("journal_damaged",))
        self._log_damage(reason)

    async def salvage(self) -> None:
        """Salvage the log that was quarantined at the start, and publish the result in the status."""
        damage = self._journal.damage
        if damage is not None and not damage.unsigned:
            found = await salvage_in_child(damage.kept_as)
            self._statuses.fault("salvage", (f"journal_damaged: {found}"[:_LINE],))

    def forked(self, reason: str) -> None:
        """Report, once, that this log is not the one that the judge knows."""
        if not self._forked:
            self._forked = True
            _log.error("log.forked", reason=reason)
            self._statuses.fault("log", ("log_forked",))
            self._rows.offer(PendingRow(OWN, LogFault(fault="forked", detail=reason)))

    def delivery_refused(self, names: tuple[str, ...]) -> None:
        """Set what the broker refuses of the log; none when it accepts rows again."""
        self._statuses.fault("delivery", names)

    def clock(self, *, plausible: bool) -> None:
        """Set whether the machine's UTC is plausible; the rows' is."""
        self._statuses.fault("clock", () if plausible else ("clock_implausible",))

    def certificates(self, found: tuple[str, ...]) -> None:
        """Set the certificates that expire soon."""
        self._statuses.fault("certificates", found)

    def linked(self) -> None:
        """Handle a new session: clear the link's faults and publish all statuses."""
        self._statuses.fault("link", ())
        self._statuses.publish_all()

    def link_lost(self, fault: BusError) -> None:
        """Report a session takeover. Any other loss of the link is visible without a report."""
        if isinstance(fault, TakenOverError):
            self._statuses.fault("link", ("client_id_conflict",))
            self._rows.offer(PendingRow(OWN, LogFault(fault="client_id_conflict", detail=str(fault))))

    def twin(self, reason: str) -> None:
        """Report that another field half runs for this table."""
        _log.error("twin seen", reason=reason)
        self._statuses.fault("twin", ("client_id_conflict",))
        self._rows.offer(PendingRow(OWN, LogFault(fault="client_id_conflict", detail=reason)))

    def alone(self) -> None:
        """Handle that no other field half runs for this table any more."""
        self._statuses.fault("twin", ())

    def _log_damage(self, reason: str) -> None:
        self._rows.offer(PendingRow(OWN, LogFault(fault="journal_damaged", detail=reason[:_LINE])))

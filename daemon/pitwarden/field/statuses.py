"""The retained statuses of a table's devices and of the field half; all said again on every new connection."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

from pitwarden_client.events.codec import encode
from pitwarden_client.events.device import DeviceEvent, DeviceHealth, DeviceIdentified
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.status import DeviceStatus, PartStatus
from pitwarden_client.events.topics import Topics

from pitwarden.bus.messages import StatusLink

UNSEEN: Final = DeviceStatus(state="lost", reason="not seen yet")


class Statuses:
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
            self._link.say_online()

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

    def shown(self) -> str:
        """Devices and faults in one line for a person."""
        devices = ", ".join(f"{name} {status.state}" for name, status in self._devices.items()) or "no devices"
        faults = self.online().faults
        return devices + (f"; FAULTS: {', '.join(faults)}" if faults else "")

    def say_all(self) -> None:
        """Everything again, for a broker that may have forgotten it."""
        for device, status in self._devices.items():
            self._retain(self._topics.device_status(device), status)

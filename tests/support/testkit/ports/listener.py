"""Port listener that records received bytes and faults."""

from dataclasses import dataclass, field

from pitwarden_drivers.errors import DeviceError


@dataclass
class RecordingListener:
    heard: bytearray = field(default_factory=bytearray)
    faults: list[DeviceError] = field(default_factory=list)

    def received(self, data: bytes) -> None:
        self.heard += data

    def lost(self, fault: DeviceError) -> None:
        self.faults.append(fault)

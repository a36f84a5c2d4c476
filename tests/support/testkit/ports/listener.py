"""A port listener that records received bytes and faults."""

from dataclasses import dataclass, field

from pitwarden_drivers.errors import DeviceFault


@dataclass
class RecordingListener:
    heard: bytearray = field(default_factory=bytearray)
    faults: list[DeviceFault] = field(default_factory=list)

    def received(self, data: bytes) -> None:
        self.heard += data

    def lost(self, fault: DeviceFault) -> None:
        self.faults.append(fault)

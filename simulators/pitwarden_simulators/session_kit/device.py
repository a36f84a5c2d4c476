"""Devices that the session kit can play: what a simulated device offers in addition to its line."""

from collections.abc import Callable
from typing import Final, Protocol

from pitwarden_client.events.device import KeypadEntry
from pitwarden_drivers.api import Family
from pitwarden_drivers.framing.hid_stream import HidIdentity, HidReport
from pitwarden_simulators.conformance.simulated import MAKERS
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.scanner import CUT_CODE, DESCRIPTOR, reports_of


class KitDevice(SimulatedDevice, Protocol):
    """Simulated device whose events the kit causes one after the other. A new one senses the same sequence again."""

    family: Family
    serial: str
    keeps: bool
    """True if it keeps each event until the host has acknowledged it."""
    whole_records: bool
    """True if its port delivers complete records, as USB does, so that no byte is lost, damaged or cut off inside."""

    @property
    def kept(self) -> int:
        """Number of events that it keeps."""
        ...

    def happen(self) -> None:
        """Sense the next event of its sequence."""
        ...

    def restart(self) -> None:
        """Switch it off and on."""
        ...

    def opened(self) -> bytes:
        """Return what the port delivers when it is opened, before the device sends anything."""
        ...


DeviceMaker = Callable[[], KitDevice]
"""Maker of a new device."""


class TdpKitDevice:
    """Simulated TDP device of `family`, with its physics."""

    keeps: bool = True
    whole_records: bool = False

    def __init__(self, family: Family) -> None:
        self.family = family
        self.serial = _SERIALS[family]
        self._memory = Memory(1)
        self._device, self._hand = MAKERS[family](self._memory)

    @property
    def kept(self) -> int:
        """Number of events that it keeps."""
        return len(self._memory.kept)

    def happen(self) -> None:
        """Sense the next event."""
        if self.family == "keypad":  # entries with different digits, so that one more of them is noticed
            self._memory.emit(KeypadEntry(key="decision", digits=f"{self._memory.newest % 100:02}"))
        else:
            self._hand.cause(1)

    def restart(self) -> None:
        """Restart the firmware."""
        self._device.reboot()

    def opened(self) -> bytes:
        """Return nothing: a serial line delivers nothing by itself."""
        return b""

    def receive(self, now: int, data: bytes) -> bytes:
        """Process bytes from the host."""
        return self._device.receive(now, data)

    def tick(self, now: int) -> bytes:
        """Return the bytes that are due."""
        return self._device.tick(now)

    def wake_at(self, now: int) -> int | None:
        """Return the time of the next `tick`."""
        return self._device.wake_at(now)


class ScannerKitDevice:
    """HID bar-code scanner behind its port, which delivers records of framing/hid_stream.py."""

    family: Family = "shoe"
    serial: str = "B-7"
    keeps: bool = False
    whole_records: bool = True

    def __init__(self) -> None:
        self.kept = 0
        self._sensed = 0
        self._unsent = bytearray()

    def happen(self) -> None:
        """Scan the next code."""
        code = f"{_RANKS[self._sensed % len(_RANKS)]}D17" if self._sensed % _CUT else CUT_CODE
        self._sensed += 1
        self._unsent += b"".join(HidReport(report).to_bytes() for report in reports_of(code.encode("ascii")))

    def restart(self) -> None:
        """Lose what was scanned and not read."""
        self._unsent.clear()

    def opened(self) -> bytes:
        """Return the identity record, which the port makes of the device's descriptors."""
        return HidIdentity(self.serial, "1.00", DESCRIPTOR).to_bytes()

    def receive(self, now: int, data: bytes) -> bytes:  # noqa: ARG002  a scanner takes no input
        """Return nothing."""
        return b""

    def tick(self, now: int) -> bytes:  # noqa: ARG002  it sends at the next call
        """Return the scans to send."""
        said = bytes(self._unsent)
        self._unsent.clear()
        return said

    def wake_at(self, now: int) -> int | None:
        """Return when `tick` has bytes to send."""
        return now if self._unsent else None


_SERIALS: Final[dict[Family, str]] = {"shoe": "SIM-1", "shuffler": "SIM-2", "reader": "SIM-3", "keypad": "SIM-4"}
_RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_CUT: Final = 9

SIMULATED: Final[dict[str, DeviceMaker]] = {
    "shoe": lambda: TdpKitDevice("shoe"),
    "shuffler": lambda: TdpKitDevice("shuffler"),
    "reader": lambda: TdpKitDevice("reader"),
    "keypad": lambda: TdpKitDevice("keypad"),
    "scanner": ScannerKitDevice,
}
"""Devices that are part of the kit, by the word after `simulated:`."""

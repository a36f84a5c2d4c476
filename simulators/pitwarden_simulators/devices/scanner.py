"""Simulated bar-code scanner on the HID bar-code scanner page (0x8C): each scan is one input report or several.

Report 2, as in its descriptor: byte count, three bytes of symbology identifier, 32 of data, accuracy, continued.
"""

from typing import Final

from pitwarden_client.events.card_faces import face_name
from pitwarden_client.events.device import ShoeCut
from pitwarden_drivers.api import PlainCard, Said

DATA_BYTES: Final = 32
REPORT_BYTES: Final = 1 + 1 + 3 + DATA_BYTES + 1 + 1
DESCRIPTOR: Final = bytes.fromhex(
    "05 8C 09 02 A1 01"  # usage page bar-code scanner, usage bar-code scanner, application collection
    "09 12 A1 02 85 02"  # scanned data report, logical collection, report 2
    "15 00 26 FF 00 75 08"  # values 0 to 255, eight bits each
    "95 01 05 01 09 3B 81 02"  # generic desktop: byte count
    "95 03 05 8C 09 FB 09 FC 09 FD 81 02"  # symbology identifiers 1 to 3
    "95 20 09 FE 82 02 01"  # 32 bytes of decoded data, buffered
    "95 01 0A 01 01 81 02"  # scanner data accuracy, a usage above 255
    "25 01 75 01 95 01 09 FF 81 02"  # one bit: decoded data continued
    "75 07 95 01 81 03"  # seven bits of padding
    "C0 C0"
)
CODE_128: Final = "]C0"
CUT_CODE: Final = "CUTCARD"


def reports_of(code: bytes, symbology: str = CODE_128, accuracy: int = 90) -> tuple[bytes, ...]:
    """Return the input reports of one scan."""
    parts = [code[at : at + DATA_BYTES] for at in range(0, len(code), DATA_BYTES)] or [b""]
    head = symbology.encode("ascii").ljust(3, b"\0")
    return tuple(
        bytes((2, len(part))) + head + part.ljust(DATA_BYTES, b"\0") + bytes((accuracy, int(part is not parts[-1])))
        for part in parts
    )


class Scanner:
    """Scanner on its line. As the event sink of a shoe it scans the code of each drawn card: `10D17`."""

    def __init__(self) -> None:
        self._unsent = bytearray()

    def scan(self, code: bytes, symbology: str = CODE_128, accuracy: int = 90) -> None:
        """Scan a code."""
        self._unsent += b"".join(reports_of(code, symbology, accuracy))

    def emit(self, said: Said) -> int:
        """Scan what a shoe's physics sense, as far as a scanner can: a card, the cutting card. It has no number."""
        match said:
            case PlainCard():
                self.scan(f"{face_name(said.face.value)}17".encode())
            case ShoeCut():
                self.scan(CUT_CODE.encode())
        return 0

    def latch(self, fault: Said) -> int:
        """Do nothing: a scanner detects no fault of the shoe."""
        return self.emit(fault)

    def clear(self) -> None:
        """Do nothing: the device latches no fault."""

    def receive(self, now: int, data: bytes) -> bytes:  # noqa: ARG002  a scanner takes no input
        """Return no bytes."""
        return b""

    def tick(self, now: int) -> bytes:  # noqa: ARG002  it sends at the next call
        """Return the reports to send."""
        said = bytes(self._unsent)
        self._unsent.clear()
        return said

    def wake_at(self, now: int) -> int | None:
        """Return when `tick` has bytes to send."""
        return now if self._unsent else None

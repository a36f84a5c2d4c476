"""Scanned-data report of the HID bar-code scanner page (HID Point of Sale Usage Tables, page 0x8C).

+-----------+--------------+------------------------+-----------------------+-----------+-----------+
| report id | byte count * | symbology identifier 3 | decoded data, padded  | accuracy* | continued |
+-----------+--------------+------------------------+-----------------------+-----------+-----------+

The device chooses order and sizes and states them in its report descriptor. It may omit parts marked *.
"""

from dataclasses import dataclass, field
from typing import Final

from pitwarden_drivers.framing.hid_descriptor import FieldLocation, ReportLayout

_PAGE: Final = 0x8C << 16
SYMBOLOGY: Final = (_PAGE | 0xFB, _PAGE | 0xFC, _PAGE | 0xFD)
DATA: Final = _PAGE | 0xFE
CONTINUED: Final = _PAGE | 0xFF
ACCURACY: Final = _PAGE | 0x101
BYTE_COUNT: Final = 0x01 << 16 | 0x3B
_BYTE: Final = 8


@dataclass(frozen=True, slots=True)
class ScanPart:
    """Part of a scan. It may be a card, so its repr shows no data. `accuracy`: None where none is reported."""

    symbology: str
    data: bytes = field(repr=False)
    continued: bool = False
    accuracy: int | None = None


def is_scanner(layout: ReportLayout) -> bool:
    """Return whether the device has a report with decoded data."""
    return any(DATA in fields for fields in layout.fields.values())


def reports_accuracy(layout: ReportLayout) -> bool:
    """Return whether the reports with decoded data include their accuracy."""
    return all(ACCURACY in fields for fields in layout.fields.values() if DATA in fields)


def parse_report(layout: ReportLayout, report: bytes) -> ScanPart | None:
    """Return the scan in `report`; None for another report of the device.

    Raises:
        ValueError: The device has no such report.
    """
    number = report[0] if layout.numbered and report else 0
    if len(report) != layout.sizes.get(number):
        raise ValueError("a report that the descriptor does not describe")
    fields = layout.fields.get(number, {})
    places = [place for place in fields.get(DATA, ()) if place.bits == _BYTE]
    if not places:
        return None
    data = bytes(place.value(report) for place in places)
    counted = _first(fields, BYTE_COUNT, report)
    return ScanPart(
        _symbology(fields, report),
        data.rstrip(b"\0") if counted is None else data[:counted],
        bool(_first(fields, CONTINUED, report)),
        _first(fields, ACCURACY, report),
    )


def _first(fields: dict[int, tuple[FieldLocation, ...]], usage: int, report: bytes) -> int | None:
    """Return the first element of a field; None where the report has no such field."""
    return fields[usage][0].value(report) if usage in fields else None


def _symbology(fields: dict[int, tuple[FieldLocation, ...]], report: bytes) -> str:
    """Return the AIM identifier, as `]C0`; empty where none is reported."""
    values = [_first(fields, usage, report) or 0 for usage in SYMBOLOGY]
    return "".join(chr(value) for value in values if value)

"""Parser of HID report descriptors: positions of the input fields (USB HID 1.11, sections 6.2.2 and 8).

Threat: a device whose descriptor is truncated, endless, or contradicts itself.
"""

from dataclasses import dataclass, field
from typing import Final

# Bytes of a report descriptor, which the device itself sends: usual ones have some hundred.
MAX_DESCRIPTOR: Final = 4_096
# Bytes. usbhid allows a full-speed device less.
MAX_REPORT: Final = 1_024
# Usages of one field. A range from a hostile device could name millions.
_MAX_USAGES: Final = 4_096
_LONG_ITEM: Final = 0xFE
_SIZES: Final = (0, 1, 2, 4)
_CONSTANT: Final = 0x01
_USAGE_PAGE, _REPORT_SIZE, _REPORT_ID, _REPORT_COUNT, _PUSH, _POP = 0x04, 0x74, 0x84, 0x94, 0xA4, 0xB4
_USAGE, _USAGE_MIN, _USAGE_MAX = 0x08, 0x18, 0x28
_INPUT: Final = 0x80
_MAIN: Final = frozenset({_INPUT, 0x90, 0xB0, 0xA0, 0xC0})
# A usage of four bytes carries its page itself.
_WITH_PAGE: Final = 4


class DescriptorError(ValueError):
    """Bytes are not a report descriptor. Policy: the device is not used."""


@dataclass(frozen=True, slots=True)
class FieldLocation:
    """Position of one element of a field in a report, in bits from its beginning."""

    offset: int
    bits: int

    def value(self, report: bytes) -> int:
        """Return the unsigned number at this position of `report`."""
        return int.from_bytes(report, "little") >> self.offset & (1 << self.bits) - 1


@dataclass(frozen=True, slots=True)
class ReportLayout:
    """Input reports of a device by report id, 0 for a device without ids: size in bytes, and fields by usage.

    A usage is its page times 65,536 plus its number.
    """

    sizes: dict[int, int]
    fields: dict[int, dict[int, tuple[FieldLocation, ...]]]

    @property
    def numbered(self) -> bool:
        """True if each report begins with its id."""
        return 0 not in self.sizes

    @property
    def longest(self) -> int:
        """Length of the longest input report, in bytes."""
        return max(self.sizes.values())


@dataclass(slots=True)
class _Global:
    page: int = 0
    size: int = 0
    count: int = 0
    report: int = 0


@dataclass(slots=True)
class _Reading:
    now: _Global = field(default_factory=_Global)
    stack: list[_Global] = field(default_factory=list)
    usages: list[int] = field(default_factory=list)
    least: int = 0
    bits: dict[int, int] = field(default_factory=dict)
    fields: dict[int, dict[int, list[FieldLocation]]] = field(default_factory=dict)

    def take(self, tag: int, size: int, value: int) -> None:
        """Process one short item."""
        if tag in {_USAGE, _USAGE_MIN, _USAGE_MAX}:
            self._local(tag, value if size == _WITH_PAGE else self.now.page << 16 | value)
        elif tag in _MAIN:
            if tag == _INPUT:
                self._input(constant=bool(value & _CONSTANT))
            self.usages.clear()
        else:
            self._global(tag, value)

    def _local(self, tag: int, usage: int) -> None:
        if tag == _USAGE:
            self.usages.append(usage)
        elif tag == _USAGE_MIN:
            self.least = usage
        elif 0 <= usage - self.least < _MAX_USAGES:
            self.usages.extend(range(self.least, usage + 1))
        if len(self.usages) > _MAX_USAGES:
            raise DescriptorError("it names more usages than a device has")

    def _global(self, tag: int, value: int) -> None:
        now = self.now
        match tag:
            case _ if tag == _USAGE_PAGE:
                now.page = value
            case _ if tag == _REPORT_SIZE:
                now.size = value
            case _ if tag == _REPORT_COUNT:
                now.count = value
            case _ if tag == _REPORT_ID:
                now.report = value
            case _ if tag == _PUSH:
                self.stack.append(_Global(now.page, now.size, now.count, now.report))
            case _ if tag == _POP and self.stack:
                self.now = self.stack.pop()

    def _input(self, *, constant: bool) -> None:
        now = self.now
        begin = self.bits.setdefault(now.report, 8 if now.report else 0)
        end = begin + now.size * now.count
        if end > 8 * MAX_REPORT:
            raise DescriptorError(f"a report of more than {MAX_REPORT} bytes")
        self.bits[now.report] = end
        if constant or not self.usages or not now.size:
            return
        fields = self.fields.setdefault(now.report, {})
        for at in range(now.count):
            usage = self.usages[min(at, len(self.usages) - 1)]
            fields.setdefault(usage, []).append(FieldLocation(begin + at * now.size, now.size))


def parse_descriptor(descriptor: bytes) -> ReportLayout:
    """Return the layout of the input reports that `descriptor` describes.

    Raises:
        DescriptorError: It describes no input reports.
    """
    if len(descriptor) > MAX_DESCRIPTOR:
        raise DescriptorError(f"it is longer than {MAX_DESCRIPTOR} bytes")
    reading, at = _Reading(), 0
    while at < len(descriptor):
        prefix = descriptor[at]
        if prefix == _LONG_ITEM:
            at += 3 + (descriptor[at + 1] if at + 1 < len(descriptor) else 0)
            continue
        size = _SIZES[prefix & 3]
        data = descriptor[at + 1 : at + 1 + size]
        if len(data) < size:
            raise DescriptorError("it ends in the midst of an item")
        reading.take(prefix & 0xFC, size, int.from_bytes(data, "little"))
        at += 1 + size
    sizes = {number: (bits + 7) // 8 for number, bits in reading.bits.items() if bits}
    if not sizes or (0 in sizes and len(sizes) > 1):
        raise DescriptorError("it has no input report, or numbers only some of them")
    fields = {
        number: {usage: tuple(places) for usage, places in found.items()} for number, found in reading.fields.items()
    }
    return ReportLayout(sizes, fields)

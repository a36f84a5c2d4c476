"""Device behind its endpoints: answers on endpoint 0, data for the host, and the halted endpoints."""

from collections.abc import Callable
from typing import Final

from pitwarden_simulators.usb.descriptors import IN, Descriptors

_GET_DESCRIPTOR: Final = (0x80, 6)
_GET_CONFIGURATION: Final = (0x80, 8)
_GET_STATUS: Final = (0x80, 0)
_SET: Final = frozenset({(0x00, 9), (0x01, 11)})
_CLEAR_FEATURE: Final = (0x02, 1)
_GET_REPORT_DESCRIPTOR: Final = (0x81, 6)


class Stall(Exception):  # noqa: N818  the specification's word
    """The endpoint is halted, or the request is not known: the host sees EPIPE."""


class Function:
    """Plugged-in device. `heard` gets the bytes from the host; `changed` is called when bytes for the host wait.

    A HID device's bytes leave one input report a transfer.
    """

    def __init__(self, descriptors: Descriptors, heard: Callable[[bytes], None]) -> None:
        self.descriptors = descriptors
        self.halted: set[int] = set()
        self.changed: Callable[[], None] = lambda: None
        self.deaf = False
        self._heard = heard
        self._waiting = bytearray()

    def enqueue(self, data: bytes) -> None:
        """Enqueue bytes for the host."""
        self._waiting += data
        self.changed()

    def control(self, kind: int, request: int, value: int, index: int) -> bytes:
        """Return the answer to a request on endpoint 0.

        Raises:
            Stall: The request is not known.
        """
        match (kind, request):
            case _ if (kind, request) == _GET_DESCRIPTOR:
                return self._descriptor(value >> 8, value & 0xFF)
            case _ if (kind, request) == _GET_REPORT_DESCRIPTOR and self.descriptors.reports:
                return self.descriptors.reports
            case _ if (kind, request) == _GET_CONFIGURATION:
                return b"\x01"
            case _ if (kind, request) == _GET_STATUS:
                return b"\0\0"
            case _ if (kind, request) in _SET:
                return b""
            case _ if (kind, request) == _CLEAR_FEATURE:
                self.halted.discard(index)
                return b""
            case _:
                raise Stall

    def take(self, endpoint: int, data: bytes) -> bool:
        """Accept the host's bytes; return False while the device does not read, so that the host waits."""
        self._check(endpoint)
        if self.deaf:
            return False
        self._heard(data)
        return True

    def give(self, endpoint: int, size: int) -> bytes | None:
        """Return up to `size` bytes for the host, None when nothing waits."""
        self._check(endpoint)
        if endpoint != IN or not self._waiting:
            return None
        size = min(size, self.descriptors.report_bytes or size)
        data = bytes(self._waiting[:size])
        del self._waiting[:size]
        return data

    def _check(self, endpoint: int) -> None:
        if endpoint in self.halted:
            raise Stall

    def _descriptor(self, kind: int, index: int) -> bytes:
        match kind:
            case 1:
                return self.descriptors.device
            case 2:
                return self.descriptors.configuration
            case 3 if (text := self.descriptors.string(index)) is not None:
                return text
            case _:
                raise Stall

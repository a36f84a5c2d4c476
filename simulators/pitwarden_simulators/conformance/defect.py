"""Device with a defect: the error between an honest simulated device and its line."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pitwarden_drivers.framing.stuffed import Framer, GoodFrame
from pitwarden_drivers.tdp.wire import Frame, MalformedFrame, UnknownFrame, decode, encode
from pitwarden_simulators.devices.api import SimulatedDevice

Change = Callable[[Frame], Iterable[Frame]]
Bytes = Callable[[bytes], bytes]


def _same(frame: Frame) -> Iterable[Frame]:
    return (frame,)


def _plain(data: bytes) -> bytes:
    return data


@dataclass(frozen=True)
class Defect:
    """Error of a device: in frames from and to it, in the bytes of both, or in its memory."""

    inward: Change = _same
    outward: Change = _same
    bytes_in: Bytes = _plain
    bytes_out: Bytes = _plain


class DefectiveDevice:
    """Simulated device with a defect."""

    def __init__(self, device: SimulatedDevice, defect: Defect) -> None:
        self._device = device
        self._defect = defect
        self._in, self._out = Framer(), Framer()

    def receive(self, now: int, data: bytes) -> bytes:
        """Process bytes from the host and return the answer."""
        frames = self._frames(self._in, self._defect.bytes_in(data), self._defect.inward)
        return self._said(self._device.receive(now, frames))

    def tick(self, now: int) -> bytes:
        """Return the bytes that are due at `now`."""
        return self._said(self._device.tick(now))

    def wake_at(self, now: int) -> int | None:
        """Return the time of the next `tick`."""
        return self._device.wake_at(now)

    def _said(self, data: bytes) -> bytes:
        return self._defect.bytes_out(self._frames(self._out, data, self._defect.outward))

    @staticmethod
    def _frames(framer: Framer, data: bytes, change: Change) -> bytes:
        found = (decode(one.content) for one in framer.feed(data) if isinstance(one, GoodFrame))
        return b"".join(
            encode(*change(frame)) for frame in found if not isinstance(frame, UnknownFrame | MalformedFrame)
        )


def every(kind: type[Frame], change: Callable[..., Iterable[Frame]]) -> Change:
    """Return a change of the frames of `kind` alone."""
    return lambda frame: change(frame) if isinstance(frame, kind) else (frame,)

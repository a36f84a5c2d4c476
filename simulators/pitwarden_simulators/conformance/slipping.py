"""A device behind a slip: what goes wrong on the way between an honest simulated device and its line."""

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
class Slip:
    """What goes wrong: with frames to and from the device, with the bytes of both, or in its memory."""

    inward: Change = _same
    outward: Change = _same
    bytes_in: Bytes = _plain
    bytes_out: Bytes = _plain


class Slipping:
    """A device behind a slip; see `SimulatedDevice`."""

    def __init__(self, device: SimulatedDevice, slip: Slip) -> None:
        self._device = device
        self._slip = slip
        self._in, self._out = Framer(), Framer()

    def receive(self, now: int, data: bytes) -> bytes:
        """Bytes from the host."""
        frames = self._frames(self._in, self._slip.bytes_in(data), self._slip.inward)
        return self._said(self._device.receive(now, frames))

    def tick(self, now: int) -> bytes:
        """Time has come."""
        return self._said(self._device.tick(now))

    def wake_at(self, now: int) -> int | None:
        """When `tick` wants to be called."""
        return self._device.wake_at(now)

    def _said(self, data: bytes) -> bytes:
        return self._slip.bytes_out(self._frames(self._out, data, self._slip.outward))

    @staticmethod
    def _frames(framer: Framer, data: bytes, change: Change) -> bytes:
        found = (decode(one.content) for one in framer.feed(data) if isinstance(one, GoodFrame))
        return b"".join(
            encode(*change(frame)) for frame in found if not isinstance(frame, UnknownFrame | MalformedFrame)
        )


def every(kind: type[Frame], change: Callable[..., Iterable[Frame]]) -> Change:
    """`change` for frames of `kind`, the others as they are."""
    return lambda frame: change(frame) if isinstance(frame, kind) else (frame,)

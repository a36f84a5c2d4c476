"""Identification of the configured device, or of any device.

A session identifies its device first and trusts it only when all fields agree (SPEC.md sections 1, 5 and 9; B05). A
line with an unknown device is probed by Identify alone: no event is requested.
"""

from dataclasses import dataclass
from typing import Final

from pitwarden_drivers.api import ExpectedDevice, Family
from pitwarden_drivers.errors import DeviceSilentError, IdentityMismatchError
from pitwarden_drivers.framing.stuffed import Framer, GoodFrame
from pitwarden_drivers.tdp.event_stream import StreamPosition
from pitwarden_drivers.tdp.frames_device import IdentityFrame
from pitwarden_drivers.tdp.frames_host import VERSION, IdentifyFrame
from pitwarden_drivers.tdp.wire import decode, encode

# Time in ms until an unanswered Identify is sent again (SPEC.md section 9).
REPEAT_MS: Final = 500
# Opening a port may reboot a small device, which then takes two seconds (B02).
GIVE_UP_MS: Final = 5_000


class IdentifyRound:
    """Round of Identify, repeated until its token is returned."""

    def __init__(self, now: int, token: int) -> None:
        self.token = token & 0xFFFFFFFF
        self._repeat_at = now
        self._end = now + GIVE_UP_MS

    def due(self, now: int) -> IdentifyFrame | None:
        """Return the request when its time has come, else None.

        Raises:
            DeviceSilentError: No answer arrived in time.
        """
        if now >= self._end:
            raise DeviceSilentError(f"no identity reply in {GIVE_UP_MS} ms: see that the device is on and speaks TDP 1")
        if now < self._repeat_at:
            return None
        self._repeat_at = now + REPEAT_MS
        return IdentifyFrame(self.token)

    @property
    def wake_at(self) -> int:
        """Time of the next repetition, monotonic ms."""
        return min(self._repeat_at, self._end)


def verify_identity(expected: ExpectedDevice, found: IdentityFrame, stream: StreamPosition) -> None:
    """Check that `found` is the configured device.

    Raises:
        IdentityMismatchError: It is not; the message has the expected and the found identity.
    """
    if found.version != VERSION:
        raise IdentityMismatchError(f"it speaks TDP {found.version}, this driver TDP {VERSION}: update one of them")
    if (found.family, found.serial) != (expected.family, expected.serial):
        raise IdentityMismatchError(
            f"expected {expected.family} {expected.serial}, found {found.family} {found.serial}: "
            "see that the cables are not exchanged, or correct the table file"
        )
    if expected.firmware and found.firmware not in expected.firmware:
        allowed = ", ".join(expected.firmware)
        raise IdentityMismatchError(f"firmware {found.firmware} is not one of {allowed}: have it approved or replaced")
    if found.boot == stream.boot and found.newest < stream.counter:
        raise IdentityMismatchError(
            f"its events went back from {stream.counter} to {found.newest} within one boot: "
            "another device answers under this serial number, or its boot ids repeat"
        )


@dataclass(frozen=True, slots=True)
class Responder:
    """Identity claimed by the device that answered. Unverified."""

    family: Family
    serial: str
    firmware: str


class IdentifyProbe:
    """Probe of a line by Identify. `token` distinguishes the answer to it from an answer to another host."""

    def __init__(self, token: int) -> None:
        self._token = token & 0xFFFFFFFF
        self._framer = Framer()

    def question(self) -> bytes:
        """Return the request, to be sent again every half second."""
        return encode(IdentifyFrame(self._token))

    def receive(self, data: bytes) -> Responder | None:
        """Return the device that answered in `data`; None before an answer."""
        for found in self._framer.feed(data):
            frame = decode(found.content) if isinstance(found, GoodFrame) else None
            if isinstance(frame, IdentityFrame) and frame.token == self._token:
                return Responder(frame.family, frame.serial, frame.firmware)
        return None

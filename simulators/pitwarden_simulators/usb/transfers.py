"""Transfers of one device, from all programs that have it open: pending ones, and those to be reaped."""

import errno
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pitwarden_simulators.usb.function import Function, Stall
from pitwarden_simulators.usb.program import CONTROL, INTO_HOST, Program, Urb

SETUP: Final = struct.Struct("<BBHHH")


@dataclass(frozen=True, slots=True)
class Done:
    """Finished transfer: a negative errno or 0, and the received data."""

    urb: Urb
    status: int
    count: int
    data: bytes = b""


class Transfers:
    """Transfers of a device. `ready` is called with whether one can be reaped; `gone`: the plug has been pulled."""

    def __init__(self, function: Function, ready: Callable[[bool], None]) -> None:
        self._function, self._ready = function, ready
        self._waiting: list[Urb] = []
        self._done: list[Done] = []
        self._pumping = False
        self.gone = False
        function.changed = self._pump

    def submit(self, urb: Urb) -> None:
        """Submit a transfer."""
        self._waiting.append(urb)
        self._pump()

    def discard(self, program: Program, address: int) -> bool:
        """Discard a pending transfer of `program`; return whether there was one."""
        urb = next((one for one in self._waiting if one.owner is program and one.address == address), None)
        if urb is None:
            return False
        self._waiting.remove(urb)
        self._done.append(Done(urb, -errno.ENOENT, 0))
        self._ready(True)  # noqa: FBT003  the callback's one word
        return True

    def reap(self, program: Program) -> Done | None:
        """Return the next finished transfer of `program`."""
        done = next((one for one in self._done if one.urb.owner is program), None)
        if done is not None:
            self._done.remove(done)
        if not self._done and (done is None or not self.gone):
            # also after the plug was pulled: a program must not spin on a poll that is ever ready
            self._ready(False)  # noqa: FBT003  as above
        return done

    def forget(self, program: Program) -> None:
        """Forget a program that has closed the device."""
        self._waiting = [urb for urb in self._waiting if urb.owner is not program]
        self._done = [done for done in self._done if done.urb.owner is not program]

    def leave(self) -> None:
        """Unplug the device: every pending transfer ends with ESHUTDOWN."""
        self.gone = True
        self._done += [Done(urb, -errno.ESHUTDOWN, 0) for urb in self._waiting]
        self._waiting = []
        self._ready(True)  # noqa: FBT003  as above

    def _pump(self) -> None:
        """End every transfer that can end now. Bytes that the device sends meanwhile are included."""
        if self._pumping:
            return
        self._pumping = True
        try:
            while any(self._ended(urb) for urb in tuple(self._waiting)):
                continue
        finally:
            self._pumping = False
        if self._done:
            self._ready(True)  # noqa: FBT003  as above

    def _ended(self, urb: Urb) -> bool:
        """Return whether `urb` could be ended."""
        try:
            done = self._outcome(urb)
        except Stall:
            done = Done(urb, -errno.EPIPE, 0)
        if done is None or urb not in self._waiting:
            return False
        self._waiting.remove(urb)
        self._done.append(done)
        return True

    def _outcome(self, urb: Urb) -> Done | None:
        if urb.kind == CONTROL:
            kind, request, value, index, length = SETUP.unpack(urb.data[: SETUP.size])
            answer = self._function.control(kind, request, value, index)[:length]
            return Done(urb, 0, len(answer) if kind & INTO_HOST else length, answer)
        if urb.endpoint & INTO_HOST:
            given = self._function.give(urb.endpoint, urb.size)
            return None if given is None else Done(urb, 0, len(given), given)
        return Done(urb, 0, len(urb.data)) if self._function.take(urb.endpoint, urb.data) else None

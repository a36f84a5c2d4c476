"""Memory of a simulated device: every event with its number, stored until the host has committed it (SPEC.md 1, 5)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pitwarden_drivers.api import Said
from pitwarden_drivers.tdp.frames_device import BacklogFrame
from pitwarden_drivers.tdp.meaning import frames_for_event
from pitwarden_drivers.tdp.wire import encode

Nudge = Callable[[], None]


class EventSink(Protocol):
    """Receiver of the events that a device's physics sense."""

    def emit(self, said: Said) -> int:
        """Store an event and return its counter."""
        ...

    def latch(self, fault: Said) -> int:
        """Store a fault that stays until it is cleared at the device, and return its counter."""
        ...

    def clear(self) -> None:
        """Clear the latched fault, at the device."""
        ...


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """Event that awaits its acknowledgement; `frames` are its bytes for the line."""

    boot: int
    counter: int
    frames: bytes


class Memory:
    """Non-volatile memory: it outlives a reboot. `changed` is called when an event was stored or deleted."""

    def __init__(self, boot: int) -> None:
        self.boot = boot
        self.kept: list[StoredEvent] = []
        self.latched: Said | None = None
        self.changed: Nudge = lambda: None
        self.noted: Callable[[int, int, Said], None] = lambda _boot, _counter, _said: None
        """Called with boot and counter of each event sensed: the truth, to compare a log with."""
        self._newest = {boot: 0}

    @property
    def newest(self) -> int:
        """Counter of the newest event of this boot, 0 for none."""
        return self._newest[self.boot]

    def emit(self, said: Said) -> int:
        """Store an event and return its counter."""
        counter = self._newest[self.boot] = self.newest + 1
        self.kept.append(StoredEvent(self.boot, counter, encode(*frames_for_event(self.boot, counter, said))))
        self.noted(self.boot, counter, said)
        self.changed()
        return counter

    def latch(self, fault: Said) -> int:
        """Store a fault that stays until it is cleared. A reboot reports it again (SPEC.md 5)."""
        self.latched = fault
        return self.emit(fault)

    def clear(self) -> None:
        """Clear the fault, at the device."""
        self.latched = None

    def reboot(self) -> None:
        """Begin a new boot with the next id; numbers start again from 1."""
        self.boot += 1
        self._newest[self.boot] = 0
        if self.latched is not None:
            self.emit(self.latched)

    def forget(self, boot: int, counter: int) -> None:
        """Delete all events of earlier boots, and of `boot` up to `counter`. An unknown boot is ignored."""
        if boot in self._newest:
            self.kept = [k for k in self.kept if k.boot > boot or (k.boot == boot and k.counter > counter)]
            self.changed()

    def after(self, boot: int, counter: int) -> tuple[StoredEvent, ...]:
        """Return the stored events of `boot` after `counter`."""
        return tuple(kept for kept in self.kept if kept.boot == boot and kept.counter > counter)

    def backlog(self, boot: int, counter: int) -> BacklogFrame:
        """Return the range of stored events of `boot` after `counter`, and the boot to request next."""
        waiting = self.after(boot, counter)
        last = self._newest.get(boot, 0)
        first = waiting[0].counter if waiting else last + 1 if boot in self._newest else 0
        later = [kept.boot for kept in self.kept if kept.boot > boot]
        return BacklogFrame(boot, first, last, 0 if boot == self.boot else min(later, default=self.boot))

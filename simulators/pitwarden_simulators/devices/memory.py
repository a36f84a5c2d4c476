"""A simulated device's own memory: every event with its number, kept until the host has stored it (SPEC.md 1, 5)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pitwarden_drivers.api import Said
from pitwarden_drivers.tdp.frames_device import BacklogFrame
from pitwarden_drivers.tdp.meaning import frames_for_event
from pitwarden_drivers.tdp.wire import encode

Nudge = Callable[[], None]


class Voice(Protocol):
    """Where the physics of a device put what they noticed."""

    def say(self, said: Said) -> int:
        """Stores an event; its counter."""
        ...

    def latch(self, fault: Said) -> int:
        """Stores a fault that stays until it is cleared at the device; its counter."""
        ...

    def clear(self) -> None:
        """The latched fault was cleared at the device."""
        ...


@dataclass(frozen=True, slots=True)
class Kept:
    """An event as it waits to be acknowledged; `frames` is what goes over the line."""

    boot: int
    counter: int
    frames: bytes


class Memory:
    """Non-volatile: it outlives a reboot. `changed` is called when an event came in or was forgotten."""

    def __init__(self, boot: int) -> None:
        self.boot = boot
        self.kept: list[Kept] = []
        self.latched: Said | None = None
        self.changed: Nudge = lambda: None
        self.noted: Callable[[int, int, Said], None] = lambda _boot, _counter, _said: None
        """Called with boot and counter for each event that is sensed: the truth, to compare a log with."""
        self._newest = {boot: 0}

    @property
    def newest(self) -> int:
        """The counter of the newest event of this boot, 0 for none."""
        return self._newest[self.boot]

    def say(self, said: Said) -> int:
        """Stores an event; its counter."""
        counter = self._newest[self.boot] = self.newest + 1
        self.kept.append(Kept(self.boot, counter, encode(*frames_for_event(self.boot, counter, said))))
        self.noted(self.boot, counter, said)
        self.changed()
        return counter

    def latch(self, fault: Said) -> int:
        """Stores a fault that stays until it is cleared; a reboot says it again (SPEC.md 5)."""
        self.latched = fault
        return self.say(fault)

    def clear(self) -> None:
        """The fault was cleared at the device."""
        self.latched = None

    def reboot(self) -> None:
        """A new boot with the next id; numbers start again from 1."""
        self.boot += 1
        self._newest[self.boot] = 0
        if self.latched is not None:
            self.say(self.latched)

    def forget(self, boot: int, counter: int) -> None:
        """The host has stored all of earlier boots, and `boot` up to `counter`; an unknown boot is ignored."""
        if boot in self._newest:
            self.kept = [k for k in self.kept if k.boot > boot or (k.boot == boot and k.counter > counter)]
            self.changed()

    def after(self, boot: int, counter: int) -> tuple[Kept, ...]:
        """What is kept of `boot` after `counter`."""
        return tuple(kept for kept in self.kept if kept.boot == boot and kept.counter > counter)

    def backlog(self, boot: int, counter: int) -> BacklogFrame:
        """What there is of `boot` after `counter`, and which boot to ask for next."""
        waiting = self.after(boot, counter)
        last = self._newest.get(boot, 0)
        first = waiting[0].counter if waiting else last + 1 if boot in self._newest else 0
        later = [kept.boot for kept in self.kept if kept.boot > boot]
        return BacklogFrame(boot, first, last, 0 if boot == self.boot else min(later, default=self.boot))

"""Where the host is in a device's events: one boot at a time, each counter once (SPEC.md sections 1 and 5)."""

from typing import Literal

from pitwarden_drivers.tdp.wire_device import Backlog

Verdict = Literal["next", "old", "hole", "elsewhere"]


class Stream:
    """A position (boot, counter), and what the device said about the rest of that boot. Boot 0: never heard."""

    def __init__(self, boot: int, counter: int) -> None:
        self.boot = boot
        self.counter = counter
        self._last: int | None = None
        self._silent: list[range] = []

    def judge(self, boot: int, counter: int) -> Verdict:
        """How event `counter` of `boot` stands to the position."""
        if boot != self.boot:
            return "elsewhere"
        if counter <= self.counter:
            return "old"
        return "next" if counter == self.counter + 1 else "hole"

    def advance(self) -> None:
        """The next event was taken."""
        self.counter += 1

    def hush(self) -> None:
        """The event just taken is not reported: it is acknowledged with the one before it."""
        if self._silent and self._silent[-1].stop == self.counter:
            self._silent[-1] = range(self._silent[-1].start, self.counter + 1)
        else:
            self._silent.append(range(self.counter, self.counter + 1))

    def acknowledged(self, boot: int, counter: int) -> int:
        """The counter to acknowledge once `counter` is stored: silent ones right after it are included."""
        if boot != self.boot:
            return counter
        while self._silent and self._silent[0].start <= counter + 1:
            counter = max(counter, self._silent.pop(0).stop - 1)
        return counter

    def backlog(self, said: Backlog) -> range:
        """Takes the device's answer to Resume; gives the counters that it no longer has."""
        self._last = said.last
        lost = range(self.counter + 1, max(said.first, self.counter + 1))
        self.counter = max(self.counter, said.first - 1)
        return lost

    @property
    def finished(self) -> bool:
        """Whether nothing more will come of an earlier boot."""
        return self._last is not None and self.counter >= self._last

    def begin(self, boot: int) -> None:
        """Goes on at the beginning of `boot`."""
        self.boot, self.counter, self._last = boot, 0, None
        self._silent.clear()

    def follow(self, then: int, present: int) -> int:
        """The boot after this one: the one that the device named, unless that leads back or past the present."""
        return then if self.boot < then < present else present

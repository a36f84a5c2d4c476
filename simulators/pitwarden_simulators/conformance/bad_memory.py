"""Memories that break an obligation each."""

from pitwarden_drivers.api import Said
from pitwarden_drivers.tdp.frames_device import BacklogFrame
from pitwarden_simulators.devices.memory import Memory

_SMALL = 16


class SmallMemory(Memory):
    """It keeps sixteen events."""

    def say(self, said: Said) -> int:
        """Stores an event, and drops the oldest."""
        counter = super().say(said)
        del self.kept[:-_SMALL]
        return counter


class SameBootMemory(Memory):
    """A restart does not change its boot id."""

    def reboot(self) -> None:
        """Numbers start again from 1 under the old id."""
        self.kept.clear()
        self.boot -= 1
        super().reboot()


class AmnesiacMemory(Memory):
    """It loses the events of earlier boots, and says that there were others."""

    def backlog(self, boot: int, counter: int) -> BacklogFrame:
        """What there is, wrongly."""
        said = super().backlog(boot, counter)
        return said if boot in {0, self.boot} else BacklogFrame(boot, 1, 1, said.then)


class UnlatchedMemory(Memory):
    """A restart clears its fault."""

    def reboot(self) -> None:
        """The fault is gone."""
        self.latched = None
        super().reboot()

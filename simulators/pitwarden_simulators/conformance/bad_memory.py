"""Device memories that each break one obligation."""

from pitwarden_drivers.api import Said
from pitwarden_drivers.tdp.frames_device import BacklogFrame
from pitwarden_simulators.devices.memory import Memory

_SMALL = 16


class SmallMemory(Memory):
    """Memory of sixteen events."""

    def emit(self, said: Said) -> int:
        """Store an event and drop the oldest."""
        counter = super().emit(said)
        del self.kept[:-_SMALL]
        return counter


class SameBootMemory(Memory):
    """Memory that keeps its boot id over a restart."""

    def reboot(self) -> None:
        """Count from 1 again under the old id."""
        self.kept.clear()
        self.boot -= 1
        super().reboot()


class AmnesiacMemory(Memory):
    """Memory that loses the events of earlier boots, and reports that there were others."""

    def backlog(self, boot: int, counter: int) -> BacklogFrame:
        """Return a wrong backlog."""
        said = super().backlog(boot, counter)
        return said if boot in {0, self.boot} else BacklogFrame(boot, 1, 1, said.then)


class UnlatchedMemory(Memory):
    """Memory that clears its fault at a restart."""

    def reboot(self) -> None:
        """Start a new boot without the fault."""
        self.latched = None
        super().reboot()

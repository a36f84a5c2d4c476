"""Operator of the device under test, who does what the kit requests: a person, or a simulated one."""

from collections.abc import Callable
from typing import Protocol

from pitwarden_simulators.devices.tdp_device import TdpDevice


class BenchOperator(Protocol):
    """Operator of a device. `patience_ms`: how long the kit waits for a requested act."""

    @property
    def patience_ms(self) -> int:
        """Time that an act may take, in ms."""
        ...

    def cause(self, events: int) -> None:
        """Make the device sense at least this number of events, stacks among them if it dispenses stacks."""
        ...

    def fault(self) -> bool:
        """Cause a fault that latches; return False when that is not possible."""
        ...

    def restart(self) -> bool:
        """Switch the device off and on, faults left as they are; return False when that is not possible."""
        ...


class Person:
    """Person who reads the requested acts on a terminal; `show` prints them."""

    patience_ms = 120_000

    def __init__(self, show: Callable[[str], None], *, willing: bool) -> None:
        self._show = show
        self._willing = willing

    def cause(self, events: int) -> None:
        """Ask the person to cause events."""
        self._show(f">>> let the device sense {events} event(s): draw, shuffle or insert cards")

    def fault(self) -> bool:
        """Ask the person to cause a fault, if faults are allowed."""
        if self._willing:
            self._show(">>> make the device jam, and leave the jam as it is")
        return self._willing

    def restart(self) -> bool:
        """Ask the person to restart the device."""
        if self._willing:
            self._show(">>> switch the device off and on again; leave a jam as it is")
        return self._willing


class BenchHand:
    """Simulated operator: `sense` makes one event, `jam` a fault; `wake` wakes the device's line."""

    patience_ms = 5_000

    def __init__(
        self,
        device: TdpDevice,
        sense: Callable[[], object],
        jam: Callable[[], object] | None,
        wake: Callable[[], object] = lambda: None,
    ) -> None:
        self._device = device
        self._sense = sense
        self._jam = jam
        self.wake = wake

    def cause(self, events: int) -> None:
        """Sense events."""
        for _ in range(events):
            self._sense()
        self.wake()

    def fault(self) -> bool:
        """Jam the device; return False for a device that cannot jam."""
        if self._jam is None:
            return False
        self._jam()
        self.wake()
        return True

    def restart(self) -> bool:
        """Restart the device."""
        self._device.reboot()
        self.wake()
        return True

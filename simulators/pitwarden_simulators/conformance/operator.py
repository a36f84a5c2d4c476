"""Whoever stands at the device and does to it what the kit asks for: a person, or a simulated one."""

from collections.abc import Callable
from typing import Protocol

from pitwarden_simulators.devices.tdp_device import TdpDevice


class BenchOperator(Protocol):
    """`patience_ms`: how long the kit waits for what it asked for."""

    @property
    def patience_ms(self) -> int:
        """How long it may take, in ms."""
        ...

    def cause(self, events: int) -> None:
        """The device shall sense at least so many events, stacks among them if it dispenses stacks."""
        ...

    def fault(self) -> bool:
        """A fault that latches shall happen; False when that cannot be had."""
        ...

    def restart(self) -> bool:
        """The device shall be switched off and on, faults left as they are; False when that cannot be had."""
        ...


class Person:
    """Says on a terminal what to do; `say` prints."""

    patience_ms = 120_000

    def __init__(self, say: Callable[[str], None], *, willing: bool) -> None:
        self._say = say
        self._willing = willing

    def cause(self, events: int) -> None:
        """As `Operator`."""
        self._say(f">>> let the device sense {events} event(s): draw, shuffle or insert cards")

    def fault(self) -> bool:
        """As `Operator`; only for a person who said that faults may be made."""
        if self._willing:
            self._say(">>> make the device jam, and leave the jam as it is")
        return self._willing

    def restart(self) -> bool:
        """As `Operator`."""
        if self._willing:
            self._say(">>> switch the device off and on again; leave a jam as it is")
        return self._willing


class BenchHand:
    """Does it to a simulated device: `sense` makes one event, `jam` a fault; `poke` tells its line."""

    patience_ms = 5_000

    def __init__(
        self,
        device: TdpDevice,
        sense: Callable[[], object],
        jam: Callable[[], object] | None,
        poke: Callable[[], object] = lambda: None,
    ) -> None:
        self._device = device
        self._sense = sense
        self._jam = jam
        self.poke = poke

    def cause(self, events: int) -> None:
        """As `Operator`."""
        for _ in range(events):
            self._sense()
        self.poke()

    def fault(self) -> bool:
        """As `Operator`; a device that cannot jam has no such fault."""
        if self._jam is None:
            return False
        self._jam()
        self.poke()
        return True

    def restart(self) -> bool:
        """As `Operator`."""
        self._device.reboot()
        self.poke()
        return True

"""What waits for a device's task: bytes, orders, acknowledgements, and the end of the line. Bounded, never blocking."""

from collections import deque
from typing import Final

from pitwarden_client.events.device import CommandName

from pitwarden.field.waking import Waking
from pitwarden_drivers.faults import DeviceFault, NotAccepting

MAX_BYTES: Final = 1_048_576  # the task empties it each time round; a megabyte means that it is stuck
MAX_ORDERS: Final = 64


class Inbox:
    """Filled by the port (it is its listener) and by the halves, emptied by one task."""

    def __init__(self) -> None:
        self.fault: DeviceFault | None = None
        self._waking = Waking()
        self._data = bytearray()
        self._orders: deque[tuple[str, CommandName]] = deque()
        self._stored: tuple[int, int] | None = None

    def received(self, data: bytes) -> None:
        """Bytes came."""
        if self.fault is not None:
            return
        self._data += data
        if len(self._data) > MAX_BYTES:
            self.end(NotAccepting("more came than can be read: see what else is on the line"))
        self._waking.wake()

    def lost(self, fault: DeviceFault) -> None:
        """The port is gone; what came before is still heard."""
        self.fault = fault
        self._waking.wake()

    def end(self, fault: DeviceFault) -> None:
        """The dialogue shall end; what has not been heard yet is dropped, and asked for again later."""
        self._data.clear()
        self.lost(fault)

    def commit(self, boot: int, counter: int) -> None:
        """The newest stored position; it stands for all before."""
        self._stored = boot, counter
        self._waking.wake()

    def order(self, request: str, command: CommandName) -> bool:
        """Queues a command; False when too many wait."""
        if len(self._orders) >= MAX_ORDERS:
            return False
        self._orders.append((request, command))
        self._waking.wake()
        return True

    def wake(self) -> None:
        """Something else than bytes wants the task's attention."""
        self._waking.wake()

    def open(self) -> None:
        """A new opening: nothing of the last one is left but what was stored."""
        self.fault = None
        self._data.clear()
        self._orders.clear()
        self._waking.wake()

    async def wait(self, seconds: float) -> None:
        """Returns when there is something, or after `seconds`."""
        await self._waking.wait(seconds)

    def take_data(self) -> bytes:
        """All bytes that came."""
        data = bytes(self._data)
        self._data.clear()
        return data

    def take_orders(self) -> tuple[tuple[str, CommandName], ...]:
        """All commands that wait."""
        orders = tuple(self._orders)
        self._orders.clear()
        return orders

    def take_stored(self) -> tuple[int, int] | None:
        """The newest stored position, once."""
        stored, self._stored = self._stored, None
        return stored

"""Ports on a USB bus in memory: opened, or refused; whatever happened, no device stays open."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from pitwarden_drivers.faults import DeviceFault
from pitwarden_drivers.ports.api import Line, Port
from pitwarden_drivers.ports.opening import Ports
from port_ear import Ear
from usb_backend import MemoryBus

MakeBus = Callable[..., MemoryBus]


@asynccontextmanager
async def opened(bus: MemoryBus, place: str) -> AsyncIterator[tuple[Port, Ear]]:
    ear = Ear()
    port = await Ports(bus.bus).open(Line(place), ear)
    try:
        yield port, ear
    finally:
        await port.close()
        assert all(one.opened == 0 for one in bus.plugged)


async def refused(bus: MemoryBus, place: str) -> DeviceFault:
    with pytest.raises(DeviceFault) as caught:
        await Ports(bus.bus).open(Line(place), Ear())
    assert all(one.opened == 0 for one in bus.plugged)
    return caught.value

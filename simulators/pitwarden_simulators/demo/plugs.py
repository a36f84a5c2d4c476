"""Each device's far end on a pty, with a cable that can be pulled."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from pitwarden.clock import Clock
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.ports.pty import PtyPort
from pitwarden_simulators.table.actions import DeviceName

_NOISE: Final = bytes.fromhex("7e13ff7e0d0a7d7d00427e7e83000000070000007e")


class PtyPlug:
    """One device on one pty; its stable name is a link in the demo's folder."""

    def __init__(self, port: PtyPort) -> None:
        self._port = port

    @property
    def port(self) -> PtyPort:
        """The line itself, for whoever does worse things to it."""
        return self._port

    @property
    def path(self) -> Path:
        """The stable name that the table file gives."""
        return self._port.link

    def poke(self) -> None:
        """The device sensed something: it may send now."""
        self._port.pump.poke()

    def unplug(self) -> None:
        """The cable is pulled."""
        self._port.unplug()

    def replug(self) -> None:
        """The cable is plugged in again."""
        self._port.plug()

    def noise(self) -> None:
        """What the device sends next arrives with garbage before it."""
        pump = self._port.pump
        honest = pump.to_host

        def once(chunk: bytes) -> list[bytes]:
            pump.to_host = honest
            return [_NOISE, *honest(chunk)]

        pump.to_host = once


@asynccontextmanager
async def plugged(
    devices: Mapping[DeviceName, TdpDevice], folder: Path, clock: Clock, notify: Callable[[], None]
) -> AsyncIterator[dict[DeviceName, PtyPlug]]:
    """Every device on a pty of its own; `notify` is called when a device's memory changed."""
    with ExitStack() as stack:
        plugs: dict[DeviceName, PtyPlug] = {}
        for name, device in devices.items():
            device.memory.changed = notify
            plugs[name] = PtyPlug(stack.enter_context(PtyPort(folder / name, device, clock)))
        yield plugs

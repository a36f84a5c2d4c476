"""Folder with simulated devices on pseudo-terminals, an embedded broker, and a socket that accepts acts.

The protocol of the socket is one line each way: an act in, `ok` or `error: ...` out. The socket is in the folder, so
any user who may write there may act. Threat: none beyond that; no card here is a real one.
"""

import asyncio
import contextlib
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pitwarden.config.loading import SIMULATED_SERIAL
from pitwarden.system.clock import SystemClock
from pitwarden_simulators.demo.broker import LOOPBACK, broker
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.devices.ascii import AsciiShuffler
from pitwarden_simulators.devices.memory import EventSink, Memory
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.ports.pty import PtyPort
from pitwarden_simulators.standalone.acts import ActError, sense
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.setup import TAB_SHIELDED

SOCKET: Final = "control"
PORT_FILE: Final = "port"
TABLE_FILE: Final = "table.toml"
_BOOTS: Final = 2**32 - 1
SITE: Final = "casino"
PLACED: Final[tuple[DeviceName, ...]] = ("shoe", "shuffler", "reader")
SETUP: Final = replace(TAB_SHIELDED, table="table-1")
SERIALS: Final = {"shoe": "SIM-S1", "shuffler": "SIM-F1", "reader": "SIM-R1", "text-shuffler": "SIM-T1"}
"""Serial number that each device answers with."""


@dataclass(frozen=True, slots=True)
class _Device:
    sink: EventSink
    port: PtyPort


class Bench:
    """Devices by name, and the end of the bench."""

    def __init__(self, devices: dict[str, _Device]) -> None:
        self.ended = asyncio.Event()
        self._devices = devices

    def act(self, line: str) -> str:
        """Do one act and return the answer for the person who typed it."""
        name, *words = line.split() or [""]
        if name == "stop":
            self.ended.set()
            return "ok"
        device = self._devices.get(name)
        if device is None:
            return f"error: there is no device {name!r}: choose from {', '.join(self._devices)}"
        match words:
            case ["unplug"]:
                device.port.unplug()
            case ["plug"]:
                device.port.plug()
            case ["clear"]:
                device.sink.clear()
            case ["replace", serial]:
                return self._replace(name, serial)
            case _:
                try:
                    sense(name, device.sink, words)
                except ActError as error:
                    return f"error: {error}"
                device.port.pump.wake()
        return "ok"

    def _replace(self, name: str, serial: str) -> str:
        """Put another device of the same kind on the line, as a technician does; the answer for the person."""
        if re.fullmatch(f"{SIMULATED_SERIAL}[A-Za-z0-9._-]{{1,32}}", serial) is None:
            return f"error: {serial!r}: the serial number of a simulated device begins with {SIMULATED_SERIAL}"
        port = self._devices[name].port
        port.unplug()
        sink, port.pump.device = _made(name, serial)
        self._devices[name] = _Device(sink, port)
        port.plug()
        return "ok"

    def status_line(self) -> str:
        """Return one line for `systemctl status`: which devices are plugged in."""
        states = (f"{name} {'plugged in' if one.port.plugged else 'unplugged'}" for name, one in self._devices.items())
        return f"SIMULATED devices: {', '.join(states)}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection to the socket: one line, one answer."""
        with contextlib.suppress(ConnectionError, ValueError):
            line = (await reader.readline()).decode("utf-8", "replace")
            writer.write(f"{self.act(line)}\n".encode())
            await writer.drain()
        writer.close()


def _made(name: str, serial: str | None = None) -> tuple[EventSink, SimulatedDevice]:
    serial = serial or SERIALS[name]
    match name:
        case "shoe" | "shuffler" | "reader":
            # A new boot for each: its events start again at 1, and the log still knows those of the boot before.
            memory = Memory(secrets.randbelow(_BOOTS) + 1)
            return memory, TdpDevice(name, serial, memory)
        case _:
            text = AsciiShuffler(serial)
            return text, text


def write_table_file(folder: Path) -> Path:
    """Write a table file for the devices in `folder` and return its path.

    Raises:
        FileExistsError: There is one already.
    """
    place = folder / TABLE_FILE
    ports = {name: str((folder / name).absolute()) for name in PLACED}
    broker_port = int((folder / PORT_FILE).read_text(encoding="ascii"))
    text = table_file(SETUP, SITE, (LOOPBACK, broker_port), ports, far_from(SystemClock().utc().utc_ms))
    with place.open("x", encoding="utf-8") as out:
        out.write(text)
    return place


@asynccontextmanager
async def bench(folder: Path) -> AsyncIterator[Bench]:
    """Put devices, broker and socket into `folder`, which exists; all of them end with the context.

    The broker's port is in the file `port`; it is written last but for the socket.
    """
    async with AsyncExitStack() as stack:
        _, number = await stack.enter_async_context(broker(None, folder))
        stack.callback((folder / PORT_FILE).unlink, missing_ok=True)
        (folder / PORT_FILE).write_text(f"{number}\n", encoding="ascii")
        yield await stack.enter_async_context(devices_only(folder, tuple(SERIALS), group=False))


@asynccontextmanager
async def devices_only(folder: Path, names: tuple[str, ...] = PLACED, *, group: bool = True) -> AsyncIterator[Bench]:
    """Put the devices `names` and the socket into `folder`, for a service that has its own broker.

    `group`: whether the group of this process may open the devices.
    """
    socket = folder / SOCKET
    async with AsyncExitStack() as stack:
        devices: dict[str, _Device] = {}
        for name in names:
            sink, device = _made(name)
            port = stack.enter_context(PtyPort(folder / name, device, SystemClock(), group=group))
            devices[name] = _Device(sink, port)
        made = Bench(devices)
        socket.unlink(missing_ok=True)
        stack.callback(socket.unlink, missing_ok=True)
        server = await asyncio.start_unix_server(made.serve, socket)
        await stack.enter_async_context(server)
        yield made

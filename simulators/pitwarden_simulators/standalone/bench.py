"""Folder with simulated devices on pseudo-terminals, an embedded broker, and a socket that accepts acts.

The protocol of the socket is one line each way: an act in, `ok` or `error: ...` out. The socket is in the folder, so
any user who may write there may act. Threat: none beyond that; no card here is a real one.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

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
            case _:
                try:
                    sense(name, device.sink, words)
                except ActError as error:
                    return f"error: {error}"
                device.port.pump.wake()
        return "ok"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection to the socket: one line, one answer."""
        with contextlib.suppress(ConnectionError, ValueError):
            line = (await reader.readline()).decode("utf-8", "replace")
            writer.write(f"{self.act(line)}\n".encode())
            await writer.drain()
        writer.close()


def _made(name: str) -> tuple[EventSink, SimulatedDevice]:
    match name:
        case "shoe" | "shuffler" | "reader":
            memory = Memory(1)
            return memory, TdpDevice(name, SERIALS[name], memory)
        case _:
            text = AsciiShuffler(SERIALS[name])
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
    socket = folder / SOCKET
    async with AsyncExitStack() as stack:
        _, number = await stack.enter_async_context(broker(None, folder))
        devices: dict[str, _Device] = {}
        for name in SERIALS:
            sink, device = _made(name)
            devices[name] = _Device(sink, stack.enter_context(PtyPort(folder / name, device, SystemClock())))
        made = Bench(devices)
        stack.callback((folder / PORT_FILE).unlink, missing_ok=True)
        (folder / PORT_FILE).write_text(f"{number}\n", encoding="ascii")
        socket.unlink(missing_ok=True)
        stack.callback(socket.unlink, missing_ok=True)
        server = await asyncio.start_unix_server(made.serve, socket)
        await stack.enter_async_context(server)
        yield made

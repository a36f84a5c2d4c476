"""socket:// and rfc2217:// against the simulated far ends: bytes, line settings, hang-ups, threads that end."""

import asyncio
import queue
import socket
import threading

import pytest

from pitwarden.system.clock import SystemClock
from pitwarden_drivers.errors import DeviceNotAcceptingError, LinkLostError, PortUnavailableError
from pitwarden_drivers.ports import opener
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import MAX_QUEUED, PortAddress
from pitwarden_drivers.ports.thread_port import ThreadPort
from pitwarden_drivers.tdp.frames_host import IdentifyFrame
from pitwarden_drivers.tdp.wire import encode
from pitwarden_simulators.ports.rfc2217 import Rfc2217Port
from pitwarden_simulators.ports.tcp import TcpPort
from testkit.clocks.waiting import PATIENCE_S, until
from testkit.devices.tdp_device import SpecifiedDevice
from testkit.ports.listener import RecordingListener

pytestmark = pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")  # pyserial 3.5, RFC 2217 reader


@pytest.mark.parametrize("kind", [TcpPort, Rfc2217Port])
async def test_a_device_behind_a_network_answers_and_a_hang_up_is_lost_once(kind: type[TcpPort]) -> None:
    device = SpecifiedDevice(heartbeat_ms=10_000, serial="N\x7eB")
    async with kind(device, SystemClock()) as far:
        ear = RecordingListener()
        ports = PortOpener()
        port = await ports.open(PortAddress(far.url, 19_200), ear)
        port.write(b"")
        port.write(encode(IdentifyFrame(0xFFFF11FF)))
        await until(lambda: b"N" in ear.heard, pause=0.001)
        assert device.heard == encode(IdentifyFrame(0xFFFF11FF))
        if isinstance(far, Rfc2217Port):
            assert (far.line.baudrate, far.line.bytesize, far.line.parity) == (19_200, 8, "N")
        await far.unplug()
        await until(lambda: ear.faults, pause=0.001)
        await port.close()
        assert [type(fault) for fault in ear.faults] == [LinkLostError]
        with pytest.raises(PortUnavailableError):
            await ports.open(PortAddress(far.url), RecordingListener())
        await far.plug()
        again = await ports.open(PortAddress(far.url), RecordingListener())
        await again.close()


async def test_a_second_client_takes_the_place_of_the_first() -> None:
    async with TcpPort(SpecifiedDevice(heartbeat_ms=100), SystemClock()) as far:
        first, second = RecordingListener(), RecordingListener()
        ports = PortOpener()
        one = await ports.open(PortAddress(far.url), first)
        await until(lambda: first.heard, pause=0.001)
        two = await ports.open(PortAddress(far.url), second)
        await until(lambda: first.faults, pause=0.001)
        await until(lambda: second.heard, pause=0.001)
        await one.close()
        await two.close()


def resolves_to(monkeypatch: pytest.MonkeyPatch, *ports: int) -> None:
    """Let each name have these addresses of loopback, in this order."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)) for port in ports]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_given, **_more: found)


async def test_each_address_of_a_name_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as device, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        resolves_to(monkeypatch, closed.getsockname()[1], device.getsockname()[1])
        port = await PortOpener().open(PortAddress("socket://device:1"), RecordingListener())
        device.accept()[0].close()
        await port.close()
        resolves_to(monkeypatch, closed.getsockname()[1], closed.getsockname()[1])
        with pytest.raises(PortUnavailableError, match="nobody answers there"):
            await PortOpener().open(PortAddress("socket://device:1"), RecordingListener())


async def test_a_silent_address_takes_its_share_of_the_time_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opener, "OPEN_S", 0.4)
    with socket.create_server(("127.0.0.1", 0)) as device, socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        with socket.create_connection(silent.getsockname()):  # its queue is full: the kernel answers no other
            resolves_to(monkeypatch, silent.getsockname()[1], device.getsockname()[1])
            port = await PortOpener().open(PortAddress("socket://device:1"), RecordingListener())
            device.accept()[0].close()
            await port.close()
            resolves_to(monkeypatch, silent.getsockname()[1])
            with pytest.raises(PortUnavailableError, match="did not open within"):
                await PortOpener().open(PortAddress("socket://device:1"), RecordingListener())


class Stuck:
    """A connection whose calls block until it is closed or broken."""

    def __init__(self) -> None:
        self.incoming: queue.SimpleQueue[bytes | OSError] = queue.SimpleQueue()
        self.broken = threading.Event()
        self.free = threading.Event()
        self.sent = bytearray()

    def read(self) -> bytes:
        try:
            said = self.incoming.get(timeout=0.01)
        except queue.Empty:
            return b""
        if isinstance(said, OSError):
            raise said
        return said

    def write(self, data: bytes) -> None:
        self.free.wait()
        if self.broken.is_set():
            raise OSError(32, "Broken pipe")
        self.sent += data

    def close(self) -> None:
        self.broken.set()
        self.free.set()


async def test_a_connection_that_takes_nothing_is_not_accepting_and_its_threads_end() -> None:
    for size in (10, MAX_QUEUED + 1):
        stuck, ear = Stuck(), RecordingListener()
        port = ThreadPort("rfc2217://x:1", stuck, ear)
        port.write(bytes(size))
        port.write(b"more")
        await until(lambda ear=ear: ear.faults, pause=0.01)  # type: ignore[misc]  # the default binds the loop's own
        assert isinstance(ear.faults[0], DeviceNotAcceptingError)
        port.write(b"too late")
        await port.close()
        assert stuck.sent == b""
        assert len(ear.faults) == 1


async def test_bytes_written_in_time_are_no_fault_and_received_bytes_are_passed_on() -> None:
    stuck, ear = Stuck(), RecordingListener()
    stuck.free.set()
    port = ThreadPort("rfc2217://x:1", stuck, ear)
    for _ in range(3):
        port.write(b"ab")
    stuck.incoming.put(b"xyz")
    await until(lambda: bytes(ear.heard) == b"xyz" and bytes(stuck.sent) == b"ababab", pause=0.001)
    stuck.broken.set()
    port.write(b"c")
    stuck.incoming.put(OSError(104, "reset"))
    await until(lambda: ear.faults, pause=0.001)
    await port.close()
    assert [type(fault) for fault in ear.faults] == [LinkLostError]


async def test_callbacks_of_threads_after_the_close_are_ignored() -> None:
    stuck, ear = Stuck(), RecordingListener()
    port = ThreadPort("rfc2217://x:1", stuck, ear)
    port.write(b"ab")
    await port.close()
    port._received(b"late")  # noqa: SLF001  what a thread had put to the loop before
    port._written(2)  # noqa: SLF001  as above
    port._lose(LinkLostError("late"))  # noqa: SLF001  as above
    assert ear.heard == b""
    assert ear.faults == []


async def test_a_close_that_hangs_is_left_to_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwarden_drivers.ports.port.CLOSE_S", 0.02)
    called, release, returned = threading.Event(), threading.Event(), threading.Event()
    stuck = Stuck()

    def close() -> None:
        called.set()
        release.wait()
        returned.set()

    monkeypatch.setattr(stuck, "close", close)
    port = ThreadPort("rfc2217://x:1", stuck, RecordingListener())
    await port.close()
    assert called.is_set()
    assert not returned.is_set()
    release.set()
    await until(returned.is_set, pause=0.001)
    stuck.free.set()


def test_threads_that_outlive_their_loop_end_by_themselves() -> None:
    stuck = Stuck()

    async def night() -> ThreadPort:
        await asyncio.sleep(0)
        return ThreadPort("rfc2217://x:1", stuck, RecordingListener())

    port = asyncio.run(night())
    stuck.incoming.put(b"late")
    reader, *_ = port._threads  # noqa: SLF001  what must end
    reader.join(PATIENCE_S)
    assert not reader.is_alive()
    port._queue.put(b"")  # noqa: SLF001  lets the writer go

"""Teardown that fails or hangs (B08), and blocking calls that never come back: the loop goes on."""

import asyncio
import os
import threading

import pytest

from pitwarden_drivers.errors import PortBusyError, PortUnavailableError
from pitwarden_drivers.ports import opener as opening
from pitwarden_drivers.ports.fd_port import FdPort
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import Port, PortAddress, run_with_deadline
from pitwarden_drivers.ports.serial_port import SerialLine
from testkit.clocks.waiting import until
from testkit.ports.listener import RecordingListener


async def test_a_close_that_fails_is_over() -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    ear = RecordingListener()

    def broken() -> None:
        os.close(read)
        raise OSError(5, "Input/output error")

    port = FdPort("x", read, ear, broken)
    await port.close()
    assert ear.faults == []
    os.close(write)


async def test_a_close_that_hangs_lets_the_loop_go_on_and_the_next_opening_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pitwarden_drivers.ports.port.CLOSE_S", 0.05)
    release = threading.Event()
    master, slave = os.openpty()
    place = os.ttyname(slave)
    real = SerialLine.close

    def hanging(line: SerialLine) -> None:
        release.wait()
        real(line)

    monkeypatch.setattr(SerialLine, "close", hanging)
    ports = PortOpener()
    port = await ports.open(PortAddress(place), RecordingListener())
    await port.close()
    with pytest.raises(PortBusyError, match="its last closing has not ended"):
        await ports.open(PortAddress(place), RecordingListener())
    release.set()
    opened: list[Port] = []

    async def again() -> None:
        while not opened:
            try:
                opened.append(await ports.open(PortAddress(place), RecordingListener()))
            except PortBusyError:
                await asyncio.sleep(0.001)

    await again()
    await opened[0].close()
    for fd in (master, slave):
        os.close(fd)


async def test_an_opening_that_hangs_is_a_fault_and_a_late_port_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "OPEN_S", 0.05)
    release = threading.Event()
    closed = threading.Event()

    class Late:
        def close(self) -> None:
            closed.set()

    def hanging(_line: PortAddress) -> Late:
        release.wait()
        return Late()

    monkeypatch.setattr(opening, "open_serial", hanging)
    monkeypatch.setattr(SerialLine, "close", Late.close)
    ports = PortOpener()
    with pytest.raises(PortUnavailableError, match="did not open within"):
        await ports.open(PortAddress("/dev/pitwarden/shoe"), RecordingListener())
    with pytest.raises(PortBusyError):
        await ports.open(PortAddress("/dev/pitwarden/shoe"), RecordingListener())
    release.set()
    await until(closed.is_set, pause=0.001)


async def test_a_result_on_its_way_when_the_time_is_up_is_disposed_of() -> None:
    disposed: list[int] = []
    working = threading.Event()

    def work() -> int:
        working.set()
        return 7

    task = asyncio.create_task(run_with_deadline("work", work, 5, disposed.append), name="work")
    await asyncio.sleep(0)
    working.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await until(lambda: disposed == [7], pause=0.001)


async def test_an_error_in_the_thread_is_the_callers_and_a_late_one_is_nobodys() -> None:
    def work() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await run_with_deadline("work", work, 5, lambda _nothing: None)
    release = threading.Event()
    ended = threading.Event()

    def late() -> None:
        release.wait()
        ended.set()
        raise ValueError("late")

    with pytest.raises(TimeoutError):
        await run_with_deadline("work", late, 0.01, lambda _nothing: None)
    release.set()
    await until(ended.is_set, pause=0.001)


async def test_a_name_server_that_is_silent_costs_its_opening_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "OPEN_S", 0.05)
    release = threading.Event()

    def silent(*_given: object, **_more: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        release.wait()
        return [(2, 1, 6, "", ("127.0.0.1", 1))]

    monkeypatch.setattr("pitwarden_drivers.ports.opener.socket.getaddrinfo", silent)
    with pytest.raises(PortUnavailableError, match="did not open within"):
        await PortOpener().open(PortAddress("socket://shoe.example:4001"), RecordingListener())
    release.set()

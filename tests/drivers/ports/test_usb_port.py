"""A USB device as a port: what pyusb says of a device that is held, stalls, is pulled, or is another one (B18)."""

import errno
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import usb.core
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_drivers.faults import (
    DeviceFault,
    IdentityMismatch,
    LinkLost,
    NotAccepting,
    PortBusy,
    PortUnavailable,
    PortUnsuitable,
)
from pitwarden_drivers.ports.api import Line, Port
from pitwarden_drivers.ports.opening import Ports
from pitwarden_drivers.ports.paths import check_path
from pitwarden_drivers.ports.usb_place import UsbPlace, usb_place
from pitwarden_drivers.ports.usb_port import UsbLine
from pitwarden_simulators.usb.descriptors import IN, OUT, PACKET, Descriptors
from port_ear import Ear
from usb_backend import MemoryBus, Plugged
from waiting import until

N42 = Descriptors(0x1209, 0x0001, "N42")
PLACE = "usb://1209:0001/N42"
MakeBus = Callable[..., MemoryBus]


@pytest.fixture
def make_bus(tmp_path: Path) -> MakeBus:
    return lambda *plugged: MemoryBus(tmp_path, *plugged)


@asynccontextmanager
async def opened(bus: MemoryBus, place: str = PLACE) -> AsyncIterator[tuple[Port, Ear]]:
    ear = Ear()
    port = await Ports(bus.bus).open(Line(place), ear)
    try:
        yield port, ear
    finally:
        await port.close()
        assert all(one.opened == 0 for one in bus.plugged)


@given(
    st.integers(0, 0xFFFF), st.integers(0, 0xFFFF), st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True),
    st.sampled_from([None, "1-2", "1-2.4", "12-1.2.3.4.5.6"]),
)  # fmt: skip
def test_a_place_is_read_as_it_is_written(vendor: int, product: int, serial: str, port: str | None) -> None:
    place = UsbPlace(vendor, product, serial, port)
    assert usb_place(str(place)) == place
    check_path(str(place), simulated=False)


@pytest.mark.parametrize("place", ["usb://1209:1/N42", "usb://1209:0001/", "usb://1209:0001/N42?port=0-1", "usb://x"])
def test_a_wrong_place_is_refused_with_an_example(place: str) -> None:
    with pytest.raises(ValueError, match="usb://1209:0001/N42"):
        check_path(place, simulated=True)


async def test_bytes_go_both_ways_whole_and_in_order(make_bus: MakeBus) -> None:
    device = Plugged(N42)
    async with opened(make_bus(device)) as (port, ear):
        device.most = 100
        said = bytes(range(256)) * 10
        port.write(said)
        await until(lambda: bytes(device.taken) == said)
        device.function.say(said)
        await until(lambda: bytes(ear.heard) == said)
        assert not ear.faults


async def test_a_transfer_that_fills_its_packets_is_ended_by_an_empty_one(
    make_bus: MakeBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the device waits for more (USB 2.0, 5.8.3)."""
    device = Plugged(N42)
    ends: list[bytes] = []
    take = device.function.take

    def noted(endpoint: int, data: bytes) -> bool:
        ends.append(data)
        return take(endpoint, data)

    monkeypatch.setattr(device.function, "take", noted)
    async with opened(make_bus(device)) as (port, _):
        port.write(bytes(PACKET))
        await until(lambda: ends == [bytes(PACKET), b""])


@pytest.mark.parametrize("end", [IN, OUT])
async def test_a_halted_endpoint_is_cleared_and_the_talk_goes_on(make_bus: MakeBus, end: int) -> None:
    device = Plugged(N42)
    async with opened(make_bus(device)) as (port, ear):
        device.function.halted.add(end)
        port.write(b"to you")
        await until(lambda: bytes(device.taken) == b"to you")
        device.function.say(b"to me")
        await until(lambda: bytes(ear.heard) == b"to me")
        assert not ear.faults


@pytest.mark.parametrize("number", [errno.EPIPE, errno.EOVERFLOW])
async def test_an_endpoint_that_stalls_without_end_ends_the_line(make_bus: MakeBus, number: int) -> None:
    device = Plugged(N42)
    async with opened(make_bus(device)) as (_, ear):
        device.refuse("read", *[number] * 4)
        await until(lambda: len(ear.faults) == 1)
        assert isinstance(ear.faults[0], LinkLost)


async def test_a_plug_pulled_in_mid_transfer_is_a_lost_line_and_comes_back_at_another_address(
    make_bus: MakeBus,
) -> None:
    device = Plugged(N42)
    bus = make_bus(device)
    async with opened(bus) as (port, ear):
        device.function.deaf = True
        port.write(b"never taken")
        bus.unplug(device)
        await until(lambda: len(ear.faults) == 1)
        assert isinstance(ear.faults[0], LinkLost)
        assert "cable" in str(ear.faults[0])
    bus.plug(Plugged(N42, (3,)))
    async with opened(bus) as (port, _):
        port.write(b"here")
        await until(lambda: bytes(bus.plugged[1].taken) == b"here")


def test_a_line_that_is_closed_begins_no_transfer(make_bus: MakeBus) -> None:
    line = UsbLine(usb_place(PLACE), make_bus(Plugged(N42)).bus)
    line.close()
    with pytest.raises(OSError, match="closed"):
        line.read()
    with pytest.raises(OSError, match="closed"):
        line.write(b"late")


def test_a_device_that_is_gone_has_no_interface_to_give_back(make_bus: MakeBus) -> None:
    device = Plugged(N42)
    line = UsbLine(usb_place(PLACE), make_bus(device).bus)
    device.refuse("release", errno.ENODEV)
    line.close()
    assert device.opened == 0


def test_a_backend_without_kernel_drivers_is_not_asked_twice(make_bus: MakeBus) -> None:
    bus = make_bus(Plugged(N42))
    bus.no_drivers = True
    UsbLine(usb_place(PLACE), bus.bus).close()


async def refused(bus: MemoryBus, place: str = PLACE) -> DeviceFault:
    with pytest.raises(DeviceFault) as caught:
        await Ports(bus.bus).open(Line(place), Ear())
    assert all(one.opened == 0 for one in bus.plugged)
    return caught.value


@pytest.mark.parametrize(
    ("call", "number", "fault", "advice"),
    [
        ("open", errno.EACCES, PortUnavailable, "udev rule"),
        ("open", errno.ENODEV, PortUnavailable, "replug"),
        ("configuration", errno.EIO, PortUnavailable, "replug"),
        ("driver", errno.EIO, PortUnavailable, "replug"),
        ("claim", errno.EBUSY, PortBusy, "another program"),
        ("claim", errno.EIO, PortUnavailable, "replug"),
    ],
)
async def test_a_refusal_is_a_sentence_with_a_remedy(
    make_bus: MakeBus, call: str, number: int, fault: type[DeviceFault], advice: str
) -> None:
    device = Plugged(N42)
    device.refuse(call, *[number] * 3)
    said = await refused(make_bus(device))
    assert type(said) is fault
    assert advice in str(said)


async def test_an_interface_that_a_kernel_driver_holds_is_busy(make_bus: MakeBus) -> None:
    device = Plugged(N42)
    device.driver = True
    assert "kernel driver" in str(await refused(make_bus(device)))


async def test_a_device_with_no_bulk_interface_is_unsuitable(make_bus: MakeBus) -> None:
    device = Plugged(Descriptors(0x1209, 0x0001, "N42", interface_class=3))
    assert isinstance(await refused(make_bus(device)), PortUnsuitable)


async def test_two_devices_with_one_serial_number_are_told_apart_by_their_port(make_bus: MakeBus) -> None:
    left, right = Plugged(N42, (1,)), Plugged(N42, (2, 4))
    bus = make_bus(left, right)
    said = await refused(bus)
    assert isinstance(said, PortUnsuitable)
    assert "1-1 and 1-2.4" in str(said)
    async with opened(bus, f"{PLACE}?port=1-2.4") as (port, _):
        port.write(b"right")
        await until(lambda: bytes(right.taken) == b"right")
    assert not left.taken


@pytest.mark.parametrize("stranger", [Descriptors(0x1209, 0x0001, "N77"), Descriptors(0x046D, 0xC31C, "N42")])
async def test_a_stranger_on_the_watched_port_is_named(make_bus: MakeBus, stranger: Descriptors) -> None:
    said = await refused(make_bus(Plugged(stranger, (2,)), Plugged(N42, (1,))), f"{PLACE}?port=1-2")
    assert isinstance(said, IdentityMismatch)
    assert f"{stranger.vendor:04x}:{stranger.product:04x}" in str(said)


@pytest.mark.parametrize("serial", [None, b"\xff\xfe\n", b"N42\0\n"])
async def test_a_device_that_says_no_serial_number_is_not_the_one(make_bus: MakeBus, serial: bytes | None) -> None:
    bus = make_bus(Plugged(N42))
    file = bus.sysfs / "1-1/serial"
    file.unlink() if serial is None else file.write_bytes(serial)
    assert isinstance(await refused(bus), PortUnavailable)


async def test_a_device_that_takes_nothing_is_not_accepting(make_bus: MakeBus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwarden_drivers.ports.thread_port.WRITE_DEADLINE_S", 0.05)
    device = Plugged(N42)
    async with opened(make_bus(device)) as (port, ear):
        device.function.deaf = True
        port.write(b"never taken")
        await until(lambda: len(ear.faults) == 1)
        assert isinstance(ear.faults[0], NotAccepting)


async def test_no_libusb_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda: None)
    with pytest.raises(PortUnavailable, match=r"libusb-1\.0-0"):
        await Ports().open(Line(PLACE), Ear())


async def test_a_bus_that_cannot_be_listed_is_unavailable(make_bus: MakeBus, monkeypatch: pytest.MonkeyPatch) -> None:
    bus = make_bus()

    def broken() -> None:
        raise usb.core.USBError("refused", None, errno.EIO)

    monkeypatch.setattr(bus, "enumerate_devices", broken)
    with pytest.raises(PortUnavailable, match="cannot be listed"):
        await Ports(bus.bus).open(Line(PLACE), Ear())

"""A USB device as an open port: what pyusb says of a device that stalls, is pulled, or takes nothing (B18)."""

import errno

import pytest

from pitwarden_drivers.errors import DeviceNotAcceptingError, LinkLostError
from pitwarden_drivers.ports.addresses import parse_usb_address
from pitwarden_drivers.ports.usb_port import UsbLine
from pitwarden_simulators.usb.descriptors import IN, OUT, PACKET, Descriptors
from testkit.clocks.waiting import until
from testkit.ports.usb_bus import MakeBus, Plugged, opened

N42 = Descriptors(0x1209, 0x0001, "N42")
PLACE = "usb://1209:0001/N42"


async def test_bytes_go_both_ways_whole_and_in_order(make_bus: MakeBus) -> None:
    device = Plugged(N42)
    async with opened(make_bus(device), PLACE) as (port, ear):
        device.most = 100
        said = bytes(range(256)) * 10
        port.write(said)
        await until(lambda: bytes(device.taken) == said)
        device.function.enqueue(said)
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
    async with opened(make_bus(device), PLACE) as (port, _):
        port.write(bytes(PACKET))
        await until(lambda: ends == [bytes(PACKET), b""])


@pytest.mark.parametrize("end", [IN, OUT])
async def test_a_halted_endpoint_is_cleared_and_the_talk_goes_on(make_bus: MakeBus, end: int) -> None:
    device = Plugged(N42)
    async with opened(make_bus(device), PLACE) as (port, ear):
        device.function.halted.add(end)
        port.write(b"to you")
        await until(lambda: bytes(device.taken) == b"to you")
        device.function.enqueue(b"to me")
        await until(lambda: bytes(ear.heard) == b"to me")
        assert not ear.faults


@pytest.mark.parametrize("number", [errno.EPIPE, errno.EOVERFLOW])
async def test_an_endpoint_that_stalls_without_end_ends_the_line(make_bus: MakeBus, number: int) -> None:
    device = Plugged(N42)
    async with opened(make_bus(device), PLACE) as (_, ear):
        device.refuse("read", *[number] * 4)
        await until(lambda: len(ear.faults) == 1)
        assert isinstance(ear.faults[0], LinkLostError)


async def test_a_plug_pulled_in_mid_transfer_is_a_lost_line_and_comes_back_at_another_address(
    make_bus: MakeBus,
) -> None:
    device = Plugged(N42)
    bus = make_bus(device)
    async with opened(bus, PLACE) as (port, ear):
        device.function.deaf = True
        port.write(b"never taken")
        bus.unplug(device)
        await until(lambda: len(ear.faults) == 1)
        assert isinstance(ear.faults[0], LinkLostError)
        assert "cable" in str(ear.faults[0])
    bus.plug(Plugged(N42, (3,)))
    async with opened(bus, PLACE) as (port, _):
        port.write(b"here")
        await until(lambda: bytes(bus.plugged[1].taken) == b"here")


def test_a_line_that_is_closed_begins_no_transfer(make_bus: MakeBus) -> None:
    line = UsbLine(parse_usb_address(PLACE), make_bus(Plugged(N42)).bus)
    line.close()
    with pytest.raises(OSError, match="closed"):
        line.read()
    with pytest.raises(OSError, match="closed"):
        line.write(b"late")


def test_a_device_that_is_gone_has_no_interface_to_give_back(make_bus: MakeBus) -> None:
    device = Plugged(N42)
    line = UsbLine(parse_usb_address(PLACE), make_bus(device).bus)
    device.refuse("release", errno.ENODEV)
    line.close()
    assert device.opened == 0


async def test_a_device_that_takes_nothing_is_not_accepting(make_bus: MakeBus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwarden_drivers.ports.thread_port.WRITE_DEADLINE_S", 0.05)
    device = Plugged(N42)
    async with opened(make_bus(device), PLACE) as (port, ear):
        device.function.deaf = True
        port.write(b"never taken")
        await until(lambda: len(ear.faults) == 1)
        assert isinstance(ear.faults[0], DeviceNotAcceptingError)

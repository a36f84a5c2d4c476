"""A HID interface as a port: the kernel's driver steps aside and comes back, reports stay whole (B18)."""

import errno

import pytest

from pitwarden_drivers.errors import (
    DeviceError,
    LinkLostError,
    PortBusyError,
    PortUnavailableError,
    PortUnsuitableError,
)
from pitwarden_drivers.framing.hid_stream import HidIdentity, HidReport, HidStream
from pitwarden_drivers.ports.addresses import parse_usb_address
from pitwarden_drivers.ports.hid_port import HidLine
from pitwarden_simulators.devices.scanner import DESCRIPTOR, REPORT_BYTES, reports_of
from pitwarden_simulators.usb.descriptors import IN, Descriptors
from testkit.clocks.waiting import until
from testkit.ports.listener import RecordingListener
from testkit.ports.usb_bus import MakeBus, Plugged, opened, refused

S9 = Descriptors(0x1209, 0x0002, "S-9", reports=DESCRIPTOR, report_bytes=REPORT_BYTES)
PLACE = "hid://1209:0002/S-9"


def scanner(descriptors: Descriptors = S9) -> Plugged:
    device = Plugged(descriptors)
    device.driver = True
    return device


def records(ear: RecordingListener) -> tuple[HidIdentity | HidReport, ...]:
    return HidStream().feed(bytes(ear.heard))


async def test_who_is_there_comes_first_and_then_each_report_whole(make_bus: MakeBus) -> None:
    device = scanner()
    parts = reports_of(b"10D17") + reports_of(b"x" * 40)
    async with opened(make_bus(device), PLACE) as (_, ear):
        for part in parts:
            device.function.enqueue(part)
        await until(lambda: len(records(ear)) == 1 + len(parts))
        assert records(ear) == (HidIdentity("S-9", "1.00", DESCRIPTOR), *map(HidReport, parts))
        assert not ear.faults
    assert device.drivers == ["detached", "attached"]


async def test_the_kernel_has_its_interface_back_however_often_an_opening_fails(make_bus: MakeBus) -> None:
    device = scanner()
    bus = make_bus(device)
    device.refuse("claim", *[errno.EBUSY] * 3)
    for _ in range(3):
        said = await refused(bus, PLACE)
        assert isinstance(said, PortBusyError)
        assert "interface busy" in str(said)
    async with opened(bus, PLACE):
        pass
    assert device.drivers == ["detached", "attached"] * 4
    assert device.driver


@pytest.mark.parametrize(
    ("call", "fault", "advice"),
    [("detach", PortBusyError, "kernel's HID driver keeps it"), ("control", PortUnavailableError, "replug")],
)
async def test_a_refusal_is_a_sentence_with_a_remedy(
    make_bus: MakeBus, call: str, fault: type[DeviceError], advice: str
) -> None:
    device = scanner()
    device.refuse(call, errno.EIO)
    said = await refused(make_bus(device), PLACE)
    assert type(said) is fault
    assert advice in str(said)


@pytest.mark.parametrize(
    ("descriptors", "advice"),
    [
        (Descriptors(0x1209, 0x0002, "S-9"), "HID POS mode"),
        (Descriptors(0x1209, 0x0002, "S-9", reports=DESCRIPTOR[:7]), "descriptor is none"),
    ],
)
async def test_what_is_no_scanner_is_named(make_bus: MakeBus, descriptors: Descriptors, advice: str) -> None:
    said = await refused(make_bus(scanner(descriptors)), PLACE)
    assert isinstance(said, PortUnsuitableError)
    assert advice in str(said)


def test_a_line_that_is_closed_reads_no_more_and_what_no_kernel_driver_held_is_not_given_to_one(
    make_bus: MakeBus,
) -> None:
    device = scanner()
    device.driver = False
    line = HidLine(parse_usb_address(PLACE), make_bus(device).bus)
    assert line.read()
    line.close()
    with pytest.raises(OSError, match="closed"):
        line.read()
    assert device.drivers == []


async def test_a_pulled_plug_and_a_host_that_talks_are_a_lost_line(make_bus: MakeBus) -> None:
    device = scanner()
    bus = make_bus(device)
    async with opened(bus, PLACE) as (port, ear):
        port.write(b"who is there?")
        await until(lambda: ear.faults)
        assert "only heard" in str(ear.faults[0])
    async with opened(bus, PLACE) as (_, ear):
        device.function.halted.add(IN)
        device.function.enqueue(reports_of(b"10D17")[0])
        await until(lambda: len(records(ear)) == 2)
        bus.unplug(device)
        await until(lambda: ear.faults)
        assert isinstance(ear.faults[0], LinkLostError)

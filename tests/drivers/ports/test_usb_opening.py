"""A USB device that cannot be opened says why, and what helps (B18)."""

import errno

import pytest
import usb.core

from pitwarden_drivers.errors import DeviceError, PortBusyError, PortUnavailableError, PortUnsuitableError
from pitwarden_drivers.ports.addresses import parse_usb_address
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import PortAddress
from pitwarden_drivers.ports.usb_port import UsbLine
from pitwarden_simulators.usb.descriptors import Descriptors
from testkit.ports.listener import RecordingListener
from testkit.ports.usb_bus import MakeBus, Plugged, refused

N42 = Descriptors(0x1209, 0x0001, "N42")
PLACE = "usb://1209:0001/N42"


@pytest.mark.parametrize(
    ("call", "number", "fault", "advice"),
    [
        ("open", errno.EACCES, PortUnavailableError, "udev rule"),
        ("open", errno.ENODEV, PortUnavailableError, "replug"),
        ("configuration", errno.EIO, PortUnavailableError, "replug"),
        ("driver", errno.EIO, PortUnavailableError, "replug"),
        ("claim", errno.EBUSY, PortBusyError, "another program"),
        ("claim", errno.EIO, PortUnavailableError, "replug"),
    ],
)
async def test_a_refusal_is_a_sentence_with_a_remedy(
    make_bus: MakeBus, call: str, number: int, fault: type[DeviceError], advice: str
) -> None:
    device = Plugged(N42)
    device.refuse(call, *[number] * 3)
    said = await refused(make_bus(device), PLACE)
    assert type(said) is fault
    assert advice in str(said)


async def test_an_interface_that_a_kernel_driver_holds_is_busy(make_bus: MakeBus) -> None:
    device = Plugged(N42)
    device.driver = True
    assert "kernel driver" in str(await refused(make_bus(device), PLACE))


def test_a_backend_without_kernel_drivers_detaches_none_and_opens_and_closes(make_bus: MakeBus) -> None:
    device = Plugged(N42)
    bus = make_bus(device)
    bus.no_drivers = True
    line = UsbLine(parse_usb_address(PLACE), bus.bus)
    assert device.opened == 1
    line.close()
    assert (device.opened, device.drivers) == (0, [])


async def test_a_device_with_no_bulk_interface_is_unsuitable(make_bus: MakeBus) -> None:
    device = Plugged(Descriptors(0x1209, 0x0001, "N42", interface_class=3))
    assert isinstance(await refused(make_bus(device), PLACE), PortUnsuitableError)


async def test_no_libusb_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda: None)
    with pytest.raises(PortUnavailableError, match=r"libusb-1\.0-0"):
        await PortOpener().open(PortAddress(PLACE), RecordingListener())


async def test_a_bus_that_cannot_be_listed_is_unavailable(make_bus: MakeBus, monkeypatch: pytest.MonkeyPatch) -> None:
    bus = make_bus()

    def broken() -> None:
        raise usb.core.USBError("refused", None, errno.EIO)

    monkeypatch.setattr(bus, "enumerate_devices", broken)
    with pytest.raises(PortUnavailableError, match="cannot be listed"):
        await PortOpener(bus.bus).open(PortAddress(PLACE), RecordingListener())

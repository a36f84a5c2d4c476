"""USB bus in memory under pyusb's own interface: devices come and go, are held, stall, time out, refuse.

`opened` and `refused` open a port on it; in any case no device stays open.
"""

import errno
import struct
import threading
from array import array
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from usb.backend import IBackend
from usb.core import USBError, USBTimeoutError

from pitwarden_drivers.errors import DeviceError
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import Port, PortAddress
from pitwarden_drivers.ports.usb_device import UsbBus
from pitwarden_simulators.usb.descriptors import Descriptors
from pitwarden_simulators.usb.function import Function, Stall
from testkit.ports.listener import RecordingListener

DEVICE = "bLength bDescriptorType bcdUSB bDeviceClass bDeviceSubClass bDeviceProtocol bMaxPacketSize0 idVendor"
DEVICE += " idProduct bcdDevice iManufacturer iProduct iSerialNumber bNumConfigurations"
CONFIGURATION = "bLength bDescriptorType wTotalLength bNumInterfaces bConfigurationValue iConfiguration bmAttributes"
CONFIGURATION += " bMaxPower"
INTERFACE = "bLength bDescriptorType bInterfaceNumber bAlternateSetting bNumEndpoints bInterfaceClass"
INTERFACE += " bInterfaceSubClass bInterfaceProtocol iInterface"
ENDPOINT = "bLength bDescriptorType bEndpointAddress bmAttributes wMaxPacketSize bInterval"


def fields(names: str, form: str, data: bytes, **more: object) -> SimpleNamespace:
    return SimpleNamespace(**dict(zip(names.split(), struct.unpack(form, data), strict=True)), **more)


class Plugged:
    """Device at a port of the bus in memory. `faults` are raised by the call of that name, one each time."""

    def __init__(self, descriptors: Descriptors, port: tuple[int, ...] = (1,)) -> None:
        self.taken = bytearray()
        self.function = Function(descriptors, self.taken.extend)
        self.drivers: list[str] = []
        self.port = port
        self.gone = False
        self.driver = False
        self.opened = 0
        self.most = 1 << 16
        self.faults: dict[str, list[USBError]] = {}

    def refuse(self, call: str, *numbers: int) -> None:
        self.faults[call] = [USBError("refused", None, number) for number in numbers]

    def check(self, call: str) -> None:
        if self.faults.get(call):
            raise self.faults[call].pop(0)
        if self.gone:
            raise USBError("gone", None, errno.ENODEV)


class MemoryUsbBus(IBackend):  # type: ignore[misc]  # pyusb ships no annotations
    def __init__(self, sysfs: Path, *plugged: Plugged) -> None:
        self.sysfs = sysfs
        self.plugged: list[Plugged] = []
        self.changed = threading.Condition()
        self.no_drivers = False
        for one in plugged:
            self.plug(one)

    @property
    def bus(self) -> UsbBus:
        return UsbBus(self, self.sysfs)

    def plug(self, one: Plugged) -> None:
        one.function.changed = self._kick
        self.plugged.append(one)
        folder = self.sysfs / f"1-{'.'.join(map(str, one.port))}"
        folder.mkdir(exist_ok=True)
        (folder / "serial").write_text(f"{one.function.descriptors.serial}\n")

    def _kick(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def enumerate_devices(self) -> Iterator[Plugged]:
        return iter([one for one in self.plugged if not one.gone])

    def get_device_descriptor(self, dev: Plugged) -> SimpleNamespace:
        at = {"address": 1 + self.plugged.index(dev), "bus": 1, "port_number": dev.port[-1], "port_numbers": dev.port}
        return fields(DEVICE, "<BBHBBBBHHHBBBB", dev.function.descriptors.device, speed=3, **at)

    def get_configuration_descriptor(self, dev: Plugged, config: int) -> SimpleNamespace:
        if config:
            raise IndexError
        return fields(CONFIGURATION, "<BBHBBBBB", dev.function.descriptors.configuration[:9], extra_descriptors=[])

    def get_interface_descriptor(self, dev: Plugged, intf: int, alt: int, config: int) -> SimpleNamespace:
        if intf or alt or config:
            raise IndexError
        return fields(INTERFACE, "<9B", dev.function.descriptors.configuration[9:18], extra_descriptors=[])

    def get_endpoint_descriptor(self, dev: Plugged, ep: int, _intf: int, _alt: int, _config: int) -> SimpleNamespace:
        at = 27 if dev.function.descriptors.reports else 18
        data = dev.function.descriptors.configuration[at + 7 * ep :][:7]
        return fields(ENDPOINT, "<BBBBHB", data, bRefresh=0, bSynchAddress=0, extra_descriptors=[])

    def open_device(self, dev: Plugged) -> Plugged:
        dev.check("open")
        dev.opened += 1
        return dev

    def close_device(self, handle: Plugged) -> None:
        handle.opened -= 1

    def get_configuration(self, handle: Plugged) -> int:
        handle.check("configuration")
        return 1

    def is_kernel_driver_active(self, handle: Plugged, _intf: int) -> bool:
        if self.no_drivers:
            raise NotImplementedError
        handle.check("driver")
        return handle.driver

    def detach_kernel_driver(self, handle: Plugged, _intf: int) -> None:
        handle.check("detach")
        handle.driver = False
        handle.drivers.append("detached")

    def attach_kernel_driver(self, handle: Plugged, _intf: int) -> None:
        handle.check("attach")
        handle.driver = True
        handle.drivers.append("attached")

    def claim_interface(self, handle: Plugged, _intf: int) -> None:
        handle.check("claim")

    def release_interface(self, handle: Plugged, _intf: int) -> None:
        handle.check("release")

    def clear_halt(self, handle: Plugged, ep: int) -> None:
        handle.function.halted.discard(ep)

    def ctrl_transfer(  # noqa: PLR0917  pyusb's signature
        self, handle: Plugged, kind: int, request: int, value: int, index: int, data: "array[int]", _timeout: int
    ) -> int:
        handle.check("control")
        answer = handle.function.control(kind, request, value, index)[: len(data)]
        data[: len(answer)] = array("B", answer)
        return len(answer)

    def bulk_write(self, handle: Plugged, ep: int, _intf: int, data: "array[int]", _timeout: int) -> int:
        handle.check("write")
        try:
            taken = handle.function.take(ep, data.tobytes()[: handle.most])
        except Stall:
            raise USBError("pipe", None, errno.EPIPE) from None
        if not taken:
            raise USBTimeoutError("timed out", None, errno.ETIMEDOUT)
        return min(len(data), handle.most)

    def bulk_read(self, handle: Plugged, ep: int, _intf: int, buff: "array[int]", timeout: int) -> int:
        handle.check("read")
        with self.changed:
            try:
                given = handle.function.give(ep, len(buff))
                if given is None and self.changed.wait(timeout / 1_000):
                    handle.check("read")
                    given = handle.function.give(ep, len(buff))
            except Stall:
                raise USBError("pipe", None, errno.EPIPE) from None
        if given is None:
            raise USBTimeoutError("timed out", None, errno.ETIMEDOUT)
        buff[: len(given)] = array("B", given)
        return len(given)

    intr_read = bulk_read

    def unplug(self, device: Plugged) -> None:
        device.gone = True
        self._kick()


MakeBus = Callable[..., MemoryUsbBus]


@asynccontextmanager
async def opened(bus: MemoryUsbBus, place: str) -> AsyncIterator[tuple[Port, RecordingListener]]:
    ear = RecordingListener()
    port = await PortOpener(bus.bus).open(PortAddress(place), ear)
    try:
        yield port, ear
    finally:
        await port.close()
        assert all(one.opened == 0 for one in bus.plugged)


async def refused(bus: MemoryUsbBus, place: str) -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        await PortOpener(bus.bus).open(PortAddress(place), RecordingListener())
    assert all(one.opened == 0 for one in bus.plugged)
    return caught.value

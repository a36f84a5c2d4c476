"""USB and HID impersonation under the real pyusb and libusb: what bears a scanner's names deals no card."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pitwarden.system.clock import SystemClock
from pitwarden_client.events.card_faces import parse_face
from pitwarden_simulators.devices.scanner import DESCRIPTOR, REPORT_BYTES, Scanner, reports_of
from pitwarden_simulators.usb.descriptors import Descriptors
from pitwarden_simulators.usb.port import UsbPort
from pitwarden_simulators.usb.sysfs import Sysfs, preloadable
from testkit.clocks.waiting import PATIENCE_S

pytestmark = [
    pytest.mark.usb,
    pytest.mark.skipif(not preloadable(), reason="needs Debian's umockdev and libusb-1.0-0: apt-get install them"),
]
ROOT = Path(__file__).parents[2]
VENDOR, PRODUCT, SERIAL = 0x1209, 0x0002, "S-9"
GENUINE = Descriptors(VENDOR, PRODUCT, SERIAL, reports=DESCRIPTOR, report_bytes=REPORT_BYTES)
KEYBOARD = bytes.fromhex(
    "05 01 09 06 A1 01"  # usage page generic desktop, usage keyboard, application collection
    "05 07 19 E0 29 E7 15 00 25 01 75 01 95 08 81 02"  # eight modifier keys
    "95 01 75 08 81 01"  # a reserved byte
    "95 06 75 08 15 00 25 65 05 07 19 00 29 65 81 00 C0"  # six keys
)
"""Report descriptor of a boot keyboard (HID 1.11, appendix B.1)."""
TYPED = [bytes((0, 0, code, 0, 0, 0, 0, 0)) for code in (0x1E, 0x27, 0x07, 0x1E, 0x24, 0x28)]
"""Key presses of `10D17` and Enter."""

ONLINE = ["device.identified", "device.restarted", "online"]


class Host:
    """The program that reads the configured scanner."""

    def __init__(self, lines: asyncio.StreamReader) -> None:
        self._lines = lines

    async def heard(self) -> str:
        async with asyncio.timeout(PATIENCE_S):
            return (await self._lines.readline()).decode().strip()


@asynccontextmanager
async def host(sysfs: Sysfs) -> AsyncIterator[Host]:
    path = os.pathsep.join(str(ROOT / part) for part in ("daemon", "drivers", "simulators", "tests/support"))
    place = f"hid://{VENDOR:04x}:{PRODUCT:04x}/{SERIAL}"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "testkit.devices.hid_host", place, str(ROOT / "config/codes/coded-shoe.toml"),
        env=os.environ | sysfs.env | {"PYTHONPATH": path}, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield Host(process.stdout)
    finally:
        process.kill()
        await process.wait()


@dataclass(frozen=True)
class Bench:
    """Two USB ports: the configured scanner at one, another device at the other."""

    sysfs: Sysfs
    scanner: Scanner
    genuine: UsbPort
    impostor: UsbPort


@asynccontextmanager
async def bench(impostor: Descriptors) -> AsyncIterator[Bench]:
    scanner, clock = Scanner(), SystemClock()
    with Sysfs() as sysfs:
        async with (
            UsbPort(scanner, clock, sysfs, GENUINE) as port,
            UsbPort(Scanner(), clock, sysfs, impostor, number=2) as other,
        ):
            yield Bench(sysfs, scanner, port, other)


def type_into(port: UsbPort, reports: Sequence[bytes]) -> None:
    assert port.function is not None
    for report in reports:
        port.function.enqueue(report)


async def deals_an_ace(made: Bench, reading: Host) -> None:
    """Plug the configured scanner in: its card is the first one that the host hears of."""
    made.genuine.plug()
    assert [await reading.heard() for _ in range(3)] == ONLINE
    made.scanner.scan(b"AS17")
    made.genuine.pump.wake()
    assert await reading.heard() == str(parse_face("AS"))


@pytest.mark.parametrize(
    ("impostor", "reports"),
    [
        (Descriptors(VENDOR, PRODUCT, "S-8", reports=DESCRIPTOR, report_bytes=REPORT_BYTES), reports_of(b"10D17")),
        (Descriptors(VENDOR, 0x0003, SERIAL, reports=DESCRIPTOR, report_bytes=REPORT_BYTES), reports_of(b"10D17")),
        (Descriptors(VENDOR, PRODUCT, SERIAL, reports=KEYBOARD, report_bytes=8), TYPED),
        (Descriptors(VENDOR, PRODUCT, SERIAL), ()),
    ],
    ids=["another serial number", "another product", "a keyboard with all its names", "no HID device"],
)
async def test_only_the_configured_scanner_deals(impostor: Descriptors, reports: list[bytes]) -> None:
    async with bench(impostor) as made:
        made.genuine.unplug()
        async with host(made.sysfs) as reading:
            assert await reading.heard() == "lost"
            type_into(made.impostor, reports)
            assert made.impostor.usbfs is not None
            if (impostor.product, impostor.serial) != (PRODUCT, SERIAL):
                assert made.impostor.usbfs.driver is None, "it was not even opened: the kernel keeps it"
            made.impostor.unplug()
            await deals_an_ace(made, reading)

"""A bar-code scanner as a real HID device under the real pyusb and libusb, pulled between the parts of a scan."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from pitwarden.system.clock import SystemClock
from pitwarden_client.events.card_faces import UNREAD, parse_face
from pitwarden_simulators.devices.scanner import DESCRIPTOR, REPORT_BYTES, Scanner, reports_of
from pitwarden_simulators.usb.descriptors import Descriptors
from pitwarden_simulators.usb.port import UsbPort
from pitwarden_simulators.usb.sysfs import Sysfs, preloadable

pytestmark = [
    pytest.mark.usb,
    pytest.mark.skipif(not preloadable(), reason="needs Debian's umockdev and libusb-1.0-0: apt-get install them"),
]
ROOT = Path(__file__).parents[2]
S9 = Descriptors(0x1209, 0x0002, "S-9", reports=DESCRIPTOR, report_bytes=REPORT_BYTES)


async def test_its_cards_are_read_and_read_again_after_a_pull_in_mid_scan() -> None:
    device = Scanner()
    with Sysfs() as sysfs:
        async with UsbPort(device, SystemClock(), sysfs, S9) as port:
            path = os.pathsep.join(str(ROOT / part) for part in ("daemon", "drivers", "simulators", "tests/support"))
            host = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "testkit.devices.hid_host", port.place,
                str(ROOT / "config/codes/coded-shoe.toml"),
                env=os.environ | sysfs.env | {"PYTHONPATH": path}, stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            assert host.stdout is not None

            async def heard(*lines: object) -> None:
                for line in lines:
                    assert host.stdout is not None
                    assert (await host.stdout.readline()).decode().strip() == str(line)

            try:
                await heard("device.identified", "device.restarted", "online")
                assert port.usbfs is not None
                assert port.usbfs.driver == "usbhid"
                for code in (b"10D17", b"NOREAD", b"CUTCARD"):
                    device.scan(code)
                    port.pump.wake()
                await heard(parse_face("10D"), UNREAD, "shoe.cut")
                assert port.function is not None
                port.function.enqueue(reports_of(b"10D17" * 8)[0])
                await heard(UNREAD)
                port.function.enqueue(reports_of(b"10D17" * 8)[0])
                port.unplug()
                await heard("lost")
                port.plug()
                await heard("device.identified", "device.restarted", "online")
                device.scan(b"AS17")
                port.pump.wake()
                await heard(parse_face("AS"))
            finally:
                host.kill()
                await host.wait()

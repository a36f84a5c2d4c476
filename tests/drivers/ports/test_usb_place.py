"""Which USB device is meant: how its place is written, and who stands there instead of it (B18)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_drivers.errors import IdentityMismatchError, PortUnavailableError, PortUnsuitableError
from pitwarden_drivers.ports.addresses import UsbAddress, check_address, parse_usb_address
from pitwarden_simulators.usb.descriptors import Descriptors
from testkit.clocks.waiting import until
from testkit.ports.usb_bus import MakeBus, Plugged, opened, refused

N42 = Descriptors(0x1209, 0x0001, "N42")
PLACE = "usb://1209:0001/N42"


@given(
    st.integers(0, 0xFFFF), st.integers(0, 0xFFFF), st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True),
    st.sampled_from([None, "1-2", "1-2.4", "12-1.2.3.4.5.6"]),
)  # fmt: skip
def test_a_place_is_read_as_it_is_written(vendor: int, product: int, serial: str, port: str | None) -> None:
    place = UsbAddress(vendor, product, serial, port)
    assert parse_usb_address(str(place)) == place
    check_address(str(place), simulated=False)


@pytest.mark.parametrize("place", ["usb://1209:1/N42", "usb://1209:0001/", "usb://1209:0001/N42?port=0-1", "usb://x"])
def test_a_wrong_place_is_refused_with_an_example(place: str) -> None:
    with pytest.raises(ValueError, match="usb://1209:0001/N42"):
        check_address(place, simulated=True)


async def test_two_devices_with_one_serial_number_differ_by_their_port(make_bus: MakeBus) -> None:
    left, right = Plugged(N42, (1,)), Plugged(N42, (2, 4))
    bus = make_bus(left, right)
    said = await refused(bus, PLACE)
    assert isinstance(said, PortUnsuitableError)
    assert "1-1 and 1-2.4" in str(said)
    async with opened(bus, f"{PLACE}?port=1-2.4") as (port, _):
        port.write(b"right")
        await until(lambda: bytes(right.taken) == b"right")
    assert not left.taken


@pytest.mark.parametrize("stranger", [Descriptors(0x1209, 0x0001, "N77"), Descriptors(0x046D, 0xC31C, "N42")])
async def test_an_unknown_device_on_the_watched_port_is_named(make_bus: MakeBus, stranger: Descriptors) -> None:
    said = await refused(make_bus(Plugged(stranger, (2,)), Plugged(N42, (1,))), f"{PLACE}?port=1-2")
    assert isinstance(said, IdentityMismatchError)
    assert f"{stranger.vendor:04x}:{stranger.product:04x}" in str(said)


@pytest.mark.parametrize("serial", [None, b"\xff\xfe\n", b"N42\0\n"])
async def test_a_device_that_says_no_serial_number_is_not_the_one(make_bus: MakeBus, serial: bytes | None) -> None:
    bus = make_bus(Plugged(N42))
    file = bus.sysfs / "1-1/serial"
    file.unlink() if serial is None else file.write_bytes(serial)
    assert isinstance(await refused(bus, PLACE), PortUnavailableError)

"""Which places a table file may name (B05)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_drivers.ports.addresses import check_address, host_and_port


@pytest.mark.parametrize(
    "path",
    [
        "/dev/serial/by-id/usb-Shoe_N42-if00",
        "/dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0",
        "/dev/pitwarden/shoe",
        "socket://10.0.0.7:4001",
        "rfc2217://terminal-server.example:2217",
        "socket://[fe80::1]:4001",
    ],
)
def test_stable_names_pass(path: str) -> None:
    check_address(path, simulated=False)
    check_address(path, simulated=True)


@pytest.mark.parametrize("path", ["/dev/ttyUSB0", "/dev/ttyACM1", "/dev/pts/5", "/dev/serial/by-id/", "/tmp/shoe"])  # noqa: S108
def test_a_name_that_moves_is_refused_with_advice_unless_simulated(path: str) -> None:
    with pytest.raises(ValueError, match=r"/dev/serial/by-id/.*/dev/serial/by-path/.*/dev/pitwarden/"):
        check_address(path, simulated=False)
    check_address(path, simulated=True)


def test_a_simulated_device_is_named_as_such_and_refused_at_a_table_that_is_not_marked() -> None:
    with pytest.raises(ValueError, match=r"is a simulated device: .* `simulated = true` in \[table\]"):
        check_address("/run/pitwarden-simulators/ta01/shoe", simulated=False)
    check_address("/run/pitwarden-simulators/ta01/shoe", simulated=True)


@pytest.mark.parametrize("path", ["", "shoe", "/dev/pitwarden/../ttyUSB0", "/dev/pitwarden/..", "/dev/pitwarden/a\0b"])
@pytest.mark.parametrize("simulated", [True, False])
def test_what_is_no_place_is_refused_always(path: str, simulated: bool) -> None:  # noqa: FBT001  pytest gives it
    with pytest.raises(ValueError, match="no place of a device"):
        check_address(path, simulated=simulated)


@pytest.mark.parametrize(
    "url", ["loop://", "socket://host", "socket://host:0", "socket://host:65536", "rfc2217://h:1?logging=debug", "://"]
)
def test_an_address_that_we_do_not_open_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="no address of a device"):
        check_address(url, simulated=True)


@given(st.text(max_size=60), st.booleans())
def test_nothing_but_a_sentence_comes_of_any_text(text: str, simulated: bool) -> None:  # noqa: FBT001  hypothesis gives it
    try:
        check_address(text, simulated=simulated)
    except ValueError as error:
        assert str(error).startswith(repr(text))  # noqa: PT017  any other error fails the test


def test_an_address_has_scheme_host_and_port() -> None:
    assert host_and_port("socket://[::1]:4001") == ("socket", "::1", 4001)

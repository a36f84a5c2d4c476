"""Addresses of a broker as people write them: what is meant, and what is refused with the right spelling."""

import pytest

from pitwarden_client.mqtt.addresses import BrokerAddress, parse_address, parse_host
from pitwarden_client.mqtt.settings import BrokerSettings


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("broker-a", "broker-a", 1883),
        ("broker-a.pit.example:8883", "broker-a.pit.example", 8883),
        ("10.1.2.3:1", "10.1.2.3", 1),
        ("[::1]:65535", "::1", 65_535),
        ("[::1]", "::1", 1883),
        ("fd00::7", "fd00::7", 1883),
        ("[FD00:0::0:7]:9", "fd00::7", 9),
    ],
)
def test_an_address_with_or_without_a_port(text: str, host: str, port: int) -> None:
    assert parse_address(text, 1883) == BrokerAddress(host, port)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no host"),
        (":1883", "has no host"),
        ("mqtt://broker", "is no IPv6 address|has '/' in the host|has the port '//broker'"),
        ("broker a", "has ' ' in the host"),
        ("broker:", "has the port ''"),
        ("broker:0", "write a number from 1 to 65535"),
        ("broker:65536", "write a number from 1 to 65535"),
        ("broker:1883/x", "has the port '1883/x'"),
        ("broker:" + "9" * 5_000, "has the port '99999999999999999999'"),
        ("broker:\u0661", "has the port"),
        ("[::1", "is no IPv6 address"),
        ("[::1]1883", "write .::1.:PORT"),
        ("[broker]:1883", "is no IPv6 address"),
    ],
)
def test_what_is_no_address_is_named(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_address(text, 1883)


def test_a_host_alone_has_no_port_and_needs_no_brackets() -> None:
    assert [parse_host(text) for text in ("broker", "127.0.0.1", "[::1]", "::1")] == [
        "broker",
        "127.0.0.1",
        "::1",
        "::1",
    ]
    for text in ("broker:1883", "[::1]:1883", "mqtt://broker", ""):
        with pytest.raises(ValueError, match=r"[wW]rite"):
            parse_host(text)


def test_an_address_is_written_as_it_can_be_read_again() -> None:
    for address in (BrokerAddress("broker", 1), BrokerAddress("::1", 2)):
        assert parse_address(str(address), 9) == address


def test_settings_for_one_address_keep_the_credentials() -> None:
    second = BrokerAddress("b", 2)
    both = BrokerSettings("a", 1, username="field", keepalive=7, further=(second,))
    assert both.addresses == (BrokerAddress("a", 1), second)
    assert both.at(second) == BrokerSettings("b", 2, username="field", keepalive=7)
    assert BrokerSettings("a").silence_s == 22
    assert BrokerSettings("a", answer_seconds=15).silence_s == 55

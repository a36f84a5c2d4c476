"""Addresses of `[broker]`: either a list, or one host and port as in files from before there was a list."""

from collections.abc import Iterator

from pitwarden.config.models import BrokerSection
from pitwarden_client.mqtt.addresses import PORT, TLS_PORT, BrokerAddress, parse_address, parse_host


def broker_addresses(broker: BrokerSection) -> tuple[BrokerAddress, ...]:
    """Return the addresses of a section in which `broker_problems` found nothing, in the order of the file."""
    if not broker.addresses:
        return (BrokerAddress(parse_host(broker.host), broker.port),)
    default_port = PORT if broker.ca is None else TLS_PORT
    return tuple(parse_address(text, default_port) for text in broker.addresses)


def broker_problems(broker: BrokerSection) -> Iterator[tuple[str, str]]:
    """Yield each key of `[broker]` whose addresses cannot be used, and why."""
    if "addresses" not in broker.model_fields_set:
        try:
            parse_host(broker.host)
        except ValueError as error:
            yield "host", str(error)
        return
    for key in ("host", "port"):
        if key in broker.model_fields_set:
            yield key, 'does not go with addresses: write it there, as "HOST:PORT"'
    if not broker.addresses:
        yield "addresses", 'is empty: write at least one "HOST:PORT", or host and port in its place'
    known: dict[BrokerAddress, str] = {}
    for text in broker.addresses:
        try:
            address = parse_address(text, PORT if broker.ca is None else TLS_PORT)
        except ValueError as error:
            yield "addresses", f"{text}: {error}"
            continue
        if address in known:
            yield "addresses", f"{text} is the same address as {known[address]}: write each once"
        known[address] = text

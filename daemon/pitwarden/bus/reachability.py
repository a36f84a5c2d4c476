"""Test whether a broker lets a login in, without a standing connection."""

import secrets
from contextlib import suppress

from pitwarden.bus.connection import Connection
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.settings import BrokerSettings


async def broker_answers(settings: BrokerSettings) -> bool:
    """Return whether one of the broker's addresses accepts a connection with these credentials."""
    for address in settings.addresses:
        with suppress(BusError):
            connection = Connection(
                settings.at(address), f"pitwarden-probe-{secrets.token_hex(8)}", lambda message: message.ack()
            )
            try:
                await connection.open()
                return True
            finally:
                connection.drop()
                await connection.dropped()
    return False

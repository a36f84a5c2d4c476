"""Test whether a broker lets a login in, without a standing connection."""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import replace
from typing import Final

from pitwarden.bus.connection import Connection
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.settings import BrokerSettings

ANSWER_S: Final = 1.0
"""Time in which an address must answer. A broker in an election answers later, and the next probe sees it."""


async def broker_answers(settings: BrokerSettings) -> bool:
    """Return whether one of the broker's addresses accepts a connection with these credentials within ANSWER_S."""
    return any(await asyncio.gather(*(_answers(settings.at(address)) for address in settings.addresses)))


async def _answers(settings: BrokerSettings) -> bool:
    brief = replace(settings, answer_seconds=min(settings.answer_seconds, ANSWER_S))
    with suppress(BusError):
        connection = Connection(brief, f"pitwarden-probe-{secrets.token_hex(8)}", lambda message: message.ack())
        try:
            await connection.open()
            return True
        finally:
            connection.drop()
            await connection.dropped()
    return False

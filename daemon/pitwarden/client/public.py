"""The names that consumers import from the package itself, gathered where nothing else has to load them."""

from pitwarden.client.consumer import Consumer
from pitwarden.client.faults import ClientError, VersionRefusedError
from pitwarden.client.items import Break, Card, Cursor, Item, Row, Said
from pitwarden.client.mqtt.faults import BusError
from pitwarden.client.mqtt.settings import BrokerSettings
from pitwarden.client.now import TableNow
from pitwarden.client.table import Table, connect

__all__ = [
    "Break",
    "BrokerSettings",
    "BusError",
    "Card",
    "ClientError",
    "Consumer",
    "Cursor",
    "Item",
    "Row",
    "Said",
    "Table",
    "TableNow",
    "VersionRefusedError",
    "connect",
]

"""The names that consumers import from the package itself, gathered where nothing else has to load them."""

from pitwarden_client.errors import ClientError, VersionRefusedError
from pitwarden_client.items import Break, Card, Cursor, Item, Row, Said
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_client.state import TableNow
from pitwarden_client.table import Consumer, Table, connect

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

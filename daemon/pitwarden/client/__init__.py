"""The typed client for consumers of a table: `connect`, and what it gives. The guide is docs/how-to/consumer."""

from pitwarden.bus.settings import BrokerSettings
from pitwarden.client.consumer import Consumer
from pitwarden.client.faults import ClientError, VersionRefusedError
from pitwarden.client.items import Break, Card, Cursor, Item, Row, Said
from pitwarden.client.now import TableNow
from pitwarden.client.table import Table, connect

__all__ = [
    "Break",
    "BrokerSettings",
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

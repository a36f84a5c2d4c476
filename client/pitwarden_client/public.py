"""Names that consumers import from the package itself, in a module that only they load."""

from pitwarden_client.errors import ClientError, UnsupportedVersionError
from pitwarden_client.items import ChainBreak, Cursor, HiddenCard, Item, LogItem, OutputItem
from pitwarden_client.mqtt.addresses import BrokerAddress
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_client.state import TableView
from pitwarden_client.table import ConsumerConfig, TableClient, connect

__all__ = [
    "BrokerAddress",
    "BrokerSettings",
    "BusError",
    "ChainBreak",
    "ClientError",
    "ConsumerConfig",
    "Cursor",
    "HiddenCard",
    "Item",
    "LogItem",
    "OutputItem",
    "TableClient",
    "TableView",
    "UnsupportedVersionError",
    "connect",
]

"""Typed client for consumers of a table: `connect`, and the items that it supplies. The guide is docs/how-to/consumer.

The public names are loaded when one of them is first used. The service imports checks and chains from the packages in
here, and must not load an MQTT library with them: its rules core and its commands without a broker need none.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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


def __getattr__(name: str) -> object:
    """Return a public name, PEP 562. Python calls it for each name that the package does not have yet."""
    if name not in __all__:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from pitwarden_client import public  # noqa: PLC0415  at the top it would load the MQTT library

    globals().update({each: getattr(public, each) for each in __all__})
    return globals()[name]

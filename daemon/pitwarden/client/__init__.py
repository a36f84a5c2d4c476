"""Former import path of the typed client, now the distribution `pitwarden-client` (package `pitwarden_client`).

Each name is the client's own under the name that it had here. It warns when it is first used and is removed with 0.4.0.
"""

import warnings
from importlib import import_module
from typing import Final

FORMER_NAMES: Final = {
    "Break": "ChainBreak",
    "BrokerSettings": "BrokerSettings",
    "BusError": "BusError",
    "Card": "HiddenCard",
    "ClientError": "ClientError",
    "Consumer": "ConsumerConfig",
    "Cursor": "Cursor",
    "Item": "Item",
    "Row": "LogItem",
    "Said": "OutputItem",
    "Table": "TableClient",
    "TableNow": "TableView",
    "VersionRefusedError": "UnsupportedVersionError",
    "connect": "connect",
}


def __getattr__(name: str) -> object:
    """Return the client's object that had this name here, PEP 562."""
    if name not in FORMER_NAMES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    present = FORMER_NAMES[name]
    warnings.warn(f"{__name__}.{name} is now pitwarden_client.{present}", DeprecationWarning, stacklevel=2)
    found: object = getattr(import_module("pitwarden_client"), present)
    return found

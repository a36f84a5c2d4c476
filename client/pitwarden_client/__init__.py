"""Typed client for consumers of a table: `connect`, and the items that it supplies. The guide is docs/how-to/consumer.

The public names are loaded when one of them is first used. The service imports checks and chains from the packages in
here, and must not load an MQTT library with them: its rules core and its commands without a broker need none.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pitwarden_client.errors import ClientError, UnsupportedVersionError
    from pitwarden_client.events.base import Position
    from pitwarden_client.events.codec import BadPayloadError, decode, digest
    from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeStack
    from pitwarden_client.events.envelope import LogEvent, OutputEvent
    from pitwarden_client.events.inputs import InputReply, TerminalInput
    from pitwarden_client.events.outputs import Duty, Irregularity, Notice, ReaderRevealed, Reveal, TableState
    from pitwarden_client.events.status import DeviceStatus, LogHead, PartStatus, RecordHead
    from pitwarden_client.events.table import EpochOpened, Head, KeyAnnounced
    from pitwarden_client.group import connect, connect_all
    from pitwarden_client.input_sender import InputLink
    from pitwarden_client.items import ChainBreak, Cursor, HiddenCard, Item, LogItem, OutputItem
    from pitwarden_client.mqtt.addresses import BrokerAddress
    from pitwarden_client.mqtt.errors import BusError
    from pitwarden_client.mqtt.settings import BrokerSettings
    from pitwarden_client.state import TableView
    from pitwarden_client.table import ConsumerConfig, ReadingLink, TableClient
    from pitwarden_client.verification.commitment import verify_reveal
    from pitwarden_client.verification.errors import SealUnreadableError
    from pitwarden_client.verification.signed_rows import (
        SigningScope,
        verify_checkpoint,
        verify_epoch_opened,
        verify_key_announced,
        verify_record,
    )


__all__ = [
    "BadPayloadError",
    "BrokerAddress",
    "BrokerSettings",
    "BusError",
    "ChainBreak",
    "ClientError",
    "ConsumerConfig",
    "Cursor",
    "DeviceStatus",
    "Duty",
    "EpochOpened",
    "Head",
    "HiddenCard",
    "InputLink",
    "InputReply",
    "Irregularity",
    "Item",
    "KeyAnnounced",
    "LogEvent",
    "LogHead",
    "LogItem",
    "Notice",
    "OutputEvent",
    "OutputItem",
    "PartStatus",
    "Position",
    "ReaderResult",
    "ReaderRevealed",
    "ReadingLink",
    "RecordHead",
    "Reveal",
    "SealUnreadableError",
    "ShoeCard",
    "ShoeStack",
    "SigningScope",
    "TableClient",
    "TableState",
    "TableView",
    "TerminalInput",
    "UnsupportedVersionError",
    "connect",
    "connect_all",
    "decode",
    "digest",
    "verify_checkpoint",
    "verify_epoch_opened",
    "verify_key_announced",
    "verify_record",
    "verify_reveal",
]


def __getattr__(name: str) -> object:
    """Return a public name, PEP 562. Python calls it for each name that the package does not have yet."""
    if name not in __all__:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from pitwarden_client import public  # noqa: PLC0415  at the top it would load the MQTT library

    globals().update({each: getattr(public, each) for each in __all__})
    return globals()[name]

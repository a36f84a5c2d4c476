"""The AsyncAPI document of a table's bus (specification 3.0.0, asyncapi.com/docs/reference/specification/v3.0.0)."""

from collections.abc import Mapping
from typing import Final

from pitwarden_client.contract.channels import CHANNELS, PARAMETERS, Channel
from pitwarden_client.contract.schemas import Schemas, components, plain_schema
from pitwarden_client.events.envelope import SCHEMA_VERSION
from pitwarden_client.events.topics import PREFIX

MINOR: Final = 3
"""Number of additions within the schema version: fields and kinds that a reader may ignore."""

VERSION: Final = f"{SCHEMA_VERSION}.{MINOR}"
_BINDING: Final = "0.2.0"


def asyncapi_document() -> dict[str, object]:
    """Return the complete contract. The service is its application: it sends what consumers receive."""
    schemas, names = components("#/components/schemas/")
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "pitwarden: one gaming table on MQTT 5",
            "version": VERSION,
            "description": "The rows of a table's log, the verdicts on them, and the table's state.",
        },
        "defaultContentType": "application/json",
        "servers": {
            "broker": {
                "host": "{broker}",
                "protocol": "mqtt",
                "protocolVersion": "5.0",
                "variables": {"broker": {"default": "127.0.0.1:1883", "description": "The site's broker."}},
            }
        },
        "channels": {channel.name: _channel(channel) for channel in CHANNELS},
        "operations": dict(_operation(channel) for channel in CHANNELS),
        "components": {
            "messages": {channel.message.__name__: _message(channel, names) for channel in CHANNELS},
            "schemas": {name: plain_schema(schema, "string") for name, schema in sorted(_titled(schemas).items())},
        },
    }


def _channel(channel: Channel) -> dict[str, object]:
    address = f"{PREFIX}/{{site}}/{{table}}/{channel.address}"
    parameters = {name: {"description": says} for name, says in PARAMETERS.items() if f"{{{name}}}" in address}
    message = channel.message.__name__
    return {
        "address": address,
        "description": channel.says,
        "messages": {message: {"$ref": f"#/components/messages/{message}"}},
        "parameters": parameters,
    }


def _operation(channel: Channel) -> tuple[str, dict[str, object]]:
    action = "send" if channel.sent else "receive"
    return f"{action}{channel.name[0].upper()}{channel.name[1:]}", {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel.name}"},
        "summary": f"By {' and '.join(channel.speakers)}{', retained' if channel.retained else ''}.",
        "bindings": {"mqtt": {"qos": 1, "retain": channel.retained, "bindingVersion": _BINDING}},
    }


def _message(channel: Channel, names: Mapping[str, str]) -> dict[str, object]:
    model = channel.message
    return {
        "name": model.__name__,
        "title": model.__name__,
        "summary": (model.__doc__ or "").split("\n", 1)[0],
        "contentType": "application/json",
        "payload": {"$ref": f"#/components/schemas/{names[model.__name__]}"},
    }


def _titled(schemas: Schemas) -> Schemas:
    return {name: {"title": name, **schema} for name, schema in schemas.items()}

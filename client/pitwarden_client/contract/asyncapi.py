"""The AsyncAPI document of a table's bus (specification 3.0.0, asyncapi.com/docs/reference/specification/v3.0.0)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pitwarden_client.contract.channels import CHANNELS, PARAMETERS, REPLIES, Channel
from pitwarden_client.contract.schemas import components, plain_schema
from pitwarden_client.events.envelope import SCHEMA_VERSION
from pitwarden_client.events.topics import CLOUDEVENTS_JSON, PREFIX

MINOR: Final = 5
"""Number of additions within the schema version: fields and kinds that a reader may ignore."""

VERSION: Final = f"{SCHEMA_VERSION}.{MINOR}"
_BINDING: Final = "0.2.0"
_JSON: Final = "application/json"
_SECURITY: Final[Mapping[str, Mapping[str, str]]] = {
    "login": {"type": "userPassword", "description": "A login of your own at the broker, with the rights of its role."},
    "certificate": {"type": "X509", "description": "A client certificate, where the site's broker asks for one."},
}


def asyncapi_document() -> dict[str, object]:
    """Return the complete contract. The service is its application: it sends what consumers receive."""
    schemas, names = components("#/components/schemas/")
    return {
        "asyncapi": "3.0.0",  # Modelina 5 takes a document of 3.1 for a JSON Schema; the parser reads both
        "info": {
            "title": "pitwarden: one gaming table on MQTT 5",
            "version": VERSION,
            "description": "The rows of a table's log, the verdicts on them, and the table's state.",
        },
        "defaultContentType": _JSON,
        "servers": {
            "broker": _server("mqtt", "127.0.0.1:1883", ("login",)),
            "brokerTls": _server("secure-mqtt", "broker.example:8883", ("login", "certificate")),
        },
        "channels": {channel.name: _channel(channel) for channel in CHANNELS},
        "operations": dict(operation for channel in CHANNELS for operation in _operations(channel)),
        "components": {
            "messages": {channel.message.__name__: _message(channel, names) for channel in CHANNELS},
            "schemas": {name: plain_schema(schema) for name, schema in sorted(schemas.items())},
            "securitySchemes": dict(_SECURITY),
        },
    }


def _server(protocol: str, default: str, logins: tuple[str, ...]) -> dict[str, object]:
    return {
        "host": "{broker}",
        "protocol": protocol,
        "protocolVersion": "5.0",
        "variables": {"broker": {"default": default, "description": "The site's broker."}},
        "security": [{"$ref": f"#/components/securitySchemes/{name}"} for name in logins],
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


def _operations(channel: Channel) -> Iterator[tuple[str, dict[str, object]]]:
    yield _operation(channel, "send" if channel.sent else "receive", channel.speakers)
    if channel.written_by:
        yield _operation(channel, "receive", channel.written_by)


def _operation(channel: Channel, action: str, speakers: Sequence[str]) -> tuple[str, dict[str, object]]:
    operation: dict[str, object] = {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel.name}"},
        "summary": f"By {' and '.join(speakers)}{', retained' if channel.retained else ''}.",
        "bindings": {"mqtt": {"qos": 1, "retain": channel.retained, "bindingVersion": _BINDING}},
    }
    if channel.name in REPLIES:
        operation["reply"] = _reply(REPLIES[channel.name])
    return f"{action}{channel.name[0].upper()}{channel.name[1:]}", operation


def _reply(channel: str) -> dict[str, object]:
    """Return where a request is answered: the channel with the same parameters; `id` in both tells which request."""
    message = next(each.message.__name__ for each in CHANNELS if each.name == channel)
    return {
        "channel": {"$ref": f"#/channels/{channel}"},
        "messages": [{"$ref": f"#/channels/{channel}/messages/{message}"}],
    }


def _message(channel: Channel, names: Mapping[str, str]) -> dict[str, object]:
    model = channel.message
    content = CLOUDEVENTS_JSON if channel.cloudevents else _JSON
    return {
        "name": model.__name__,
        "title": model.__name__,
        "summary": (model.__doc__ or "").split("\n", 1)[0],
        "contentType": content,
        "payload": {"$ref": f"#/components/schemas/{names[model.__name__]}"},
        **({"bindings": {"mqtt": {"contentType": content, "bindingVersion": _BINDING}}} if channel.cloudevents else {}),
    }

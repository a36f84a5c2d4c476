"""Pages of the contract on the bus: events of the log, topics, the AsyncAPI document, and what people key."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Final, get_args

from _generate.markdown import anchor, code, page, prose, table
from _generate.schema import Schema, example, fields, kind_of
from pitwarden_client.contract.asyncapi import VERSION, asyncapi_document
from pitwarden_client.contract.channels import CHANNELS, PARAMETERS
from pitwarden_client.contract.schemas import components
from pitwarden_client.events.base import Record
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.device import DeviceEvent
from pitwarden_client.events.floor import FloorAct
from pitwarden_client.events.inputs import InputLogged, may_send
from pitwarden_client.events.keypad import CODES, KeypadCode
from pitwarden_client.events.outputs import Output
from pitwarden_client.events.table import TableEvent
from pitwarden_client.events.topics import PREFIX, ROLES

ROOT: Final = "#/$defs/"
SEALED: Final = frozenset({"Sealed", "Faces"})


def kind_name(model: type[Record]) -> str:
    """Return the `kind` or `act` that distinguishes a model from the others of its union."""
    name = "kind" if "kind" in model.model_fields else "act"
    return str(model.model_fields[name].default)


def log_models() -> tuple[type[Record], ...]:
    """Return the models of every event that a log row may hold, in the order of the contract."""
    return (*get_args(DeviceEvent), InputLogged, *get_args(TableEvent))


def output_models() -> tuple[type[Record], ...]:
    """Return the models of every output of a judge half."""
    return get_args(get_args(Output)[0])


def act_models() -> tuple[type[Record], ...]:
    """Return the models of every act: the dealer's first, then the floor's."""
    return (*get_args(DealerAct), *get_args(FloorAct))


def events() -> str:
    """Return the page of every event of the log and every output."""
    schemas, _ = components(ROOT)
    parts = [
        (
            "Every row of a table's log holds one of the events below in `data`; every message on `irregularities` "
            "and `reveals` holds one of the outputs. Fields whose name ends in `_ms` are milliseconds; `logms` is log "
            "time. A field of type `Sealed` is hidden until a `reveal` publishes it. The envelopes around them are "
            "`LogEvent` and `OutputEvent` in the [contract](asyncapi.md)."
        ),
        "## Events of the log",
    ]
    parts += [_event(model, schemas) for model in log_models()]
    parts.append("## Outputs of the judge half")
    parts += [_event(model, schemas) for model in output_models()]
    parts.append("## Records inside events")
    parts += [_record(name, schemas) for name in _inner(schemas)]
    return page("Events and outputs", *parts)


def topics() -> str:
    """Return the page of every topic."""
    rows = (
        (
            code(f"{PREFIX}/{{site}}/{{table}}/{one.address}"),
            f"`{one.message.__name__}`",
            ", ".join((*one.speakers, *one.written_by)),
            "yes" if one.retained else "no",
            prose(one.says),
        )
        for one in CHANNELS
    )
    names = ((code(name), prose(words)) for name, words in PARAMETERS.items())
    return page(
        "Topics",
        "All messages are published with QoS 1. A retained message replaces the one before it.",
        table(("topic", "message", "published by", "retained", "content"), rows),
        "## Variable parts of a topic",
        table(("part", "meaning"), names),
    )


def contract_digest() -> str:
    """Return the SHA-256 of the contract as `pitwarden schema` prints it, without the line end."""
    return hashlib.sha256(json.dumps(asyncapi_document(), indent=2).encode()).hexdigest()


def asyncapi() -> str:
    """Return the page of the AsyncAPI document: digest, messages and schemas."""
    schemas, names = components(ROOT)
    messages = {channel.message: channel for channel in CHANNELS}
    parts = [
        (
            f"The contract is an AsyncAPI 3.0 document, version {VERSION}. `pitwarden schema` prints it, "
            "`pitwarden schema NAME` prints one JSON Schema, and `pitwarden schema --against FILE` lists what breaks a "
            "consumer of an older one."
        ),
        f"SHA-256 of the document: `{contract_digest()}`",
        "## Messages",
    ]
    for model in messages:
        name = names[model.__name__]
        parts += [f"### {model.__name__}", prose(model.__doc__ or ""), _field_table(schemas[name], schemas)]
    parts += ["## JSON Schemas", "\n".join(f"- `{name}`" for name in sorted(schemas))]
    return page("Contract: AsyncAPI and JSON Schemas", *parts)


def acts() -> str:
    """Return the page of every input: who may key it, its fields, its keypad codes."""
    schemas, _ = components(ROOT)
    parts = [
        (
            "An input is an act that a person keys at a terminal or keypad. The login at the broker decides the role. "
            "A supervisor may key every act of the floor. An act that the rules do not allow here is refused and "
            "changes nothing."
        ),
    ]
    for model in act_models():
        name = kind_name(model)
        if model in {get_args(DealerAct)[0], get_args(FloorAct)[0]}:
            parts.append("## Dealer" if name.startswith("kp.") else "## Floorperson and supervisor")
        roles = [role for role in ROLES if may_send(role, name)]
        codes = [f"{entry} {one.key}".strip() for one, entry in keypad_codes(model)]
        parts += [
            anchor(f"act-{name}"),
            f"### {name}",
            prose(model.__doc__ or ""),
            f"Keyed by: {', '.join(roles)}. Keypad: {', '.join(code(one) for one in codes) or 'no code'}.",
            _field_table(schemas[model.__name__], schemas, without=("act",)),
        ]
    return page("Acts: what people key", *parts)


def keypad_codes(model: type[Record]) -> Iterator[tuple[KeypadCode, str]]:
    """Yield each keypad code of an act, with the digits before the key; the variable digits have a name."""
    for one in CODES:
        if one.act is model:
            yield one, " ".join(part for part in (one.code, f"<{one.tail}>" if one.tail else "") if part)


def source_of(kind: str) -> str:
    """Return who reports an event of the log."""
    family = kind.partition(".")[0]
    sources: Mapping[str, str] = {
        "shoe": "dealing shoe", "shuffler": "shuffler", "reader": "hole-card reader", "keypad": "keypad",
        "device": "driver of any device", "input": "terminal or keypad", "judge": "judge half",
    }  # fmt: skip
    return sources.get(family, "field half")


def event_example(model: type[Record], schemas: Mapping[str, Schema]) -> object:
    """Return a valid instance of an event as JSON data."""
    return example(schemas[model.__name__], schemas)


def _event(model: type[Record], schemas: Mapping[str, Schema]) -> str:
    kind = kind_name(model)
    row = schemas[model.__name__]
    output = model in output_models()
    hidden = any(name in json.dumps(row) for name in SEALED)
    facts = f"Source: {'judge half' if output else source_of(kind)}. Visibility: {'sealed' if hidden else 'public'}."
    return "\n\n".join((
        anchor(f"event-{kind}"),
        f"### {kind}",
        prose(model.__doc__ or ""),
        facts,
        _field_table(row, schemas, without=("kind",)),
        f"```json\n{json.dumps(event_example(model, schemas), indent=1)}\n```",
    ))  # fmt: skip


def _record(name: str, schemas: Mapping[str, Schema]) -> str:
    words = prose(str(schemas[name].get("description", "")))
    return "\n\n".join((f"### {name}", words, _field_table(schemas[name], schemas)))


def _inner(schemas: Mapping[str, Schema]) -> list[str]:
    shown = {model.__name__ for model in (*log_models(), *output_models(), *act_models())}
    shown |= {channel.message.__name__ for channel in CHANNELS}
    text = json.dumps([schemas[model.__name__] for model in (*log_models(), *output_models())])
    return sorted(
        name for name in schemas if name not in shown and f'/{name}"' in text and "properties" in schemas[name]
    )


def _field_table(schema: Schema, schemas: Mapping[str, Schema], without: tuple[str, ...] = ()) -> str:
    rows = [(code(one.name), one.kind) for one in fields(schema, schemas) if one.name not in without]
    if not rows:
        return "No fields." if "properties" in schema else kind_of(schema, schemas)
    return table(("field", "type and range"), rows)

"""JSON Schemas of every message, from the models.

Schemas that consumers read are open to additions; the others are not.

A reader of version 1 ignores unknown fields and kinds: the service may add them within the version.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, cast

from pydantic.json_schema import models_json_schema

from pitwarden_client.contract.channels import CHANNELS
from pitwarden_client.contract.titles import titled_schema
from pitwarden_client.events.base import Record

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
FURTHER: Final = "Further"
"""Name prefix of the schemas that represent additions of a later minor version."""

YOUNGER: Final = frozenset({"gamingday"})
"""Fields of the envelopes that stored messages of earlier minor versions do not have."""

Schemas = dict[str, dict[str, object]]


def consumer_written_models() -> tuple[type[Record], ...]:
    """Return the models of messages that consumers and terminals publish."""
    return _models(sent=False)


def service_written_models() -> tuple[type[Record], ...]:
    """Return the models of messages that the service publishes."""
    return _models(sent=True)


def components(root: str) -> tuple[Schemas, Mapping[str, str]]:
    """Return all schemas by name, with references below `root`, and the schema name of each message's model."""
    heard, heard_names = _generated(service_written_models(), "serialization", root)
    said, said_names = _generated(consumer_written_models(), "validation", root)
    for name in heard:
        _complete(heard[name])
    for name in list(heard):
        _admit_more(heard, name, root)
    twice = {name: f"{name}Written" for name in said if name in heard}
    renamed = {twice.get(name, name): _renamed(schema, twice) for name, schema in said.items()}
    schemas = {name: titled_schema(name, schema) for name, schema in {**heard, **renamed}.items()}
    return schemas, {**heard_names, **said_names}


def schema_of(name: str) -> dict[str, object]:
    """Return one schema with all that it refers to, as a document of its own.

    Raises:
        KeyError: No schema has this name.
    """
    schemas, _ = components("#/$defs/")
    top = schemas[name]
    needed: set[str] = set()
    _reach(top, needed, schemas)
    inner = {each: schemas[each] for each in sorted(needed)}
    return {"$schema": DIALECT, **top, **({"$defs": inner} if inner else {})}


def schema_refs(node: object) -> list[str]:
    """Return the names of all schemas to which `node` refers directly, in order."""
    if isinstance(node, dict):
        here = [str(node["$ref"]).rpartition("/")[2]] if "$ref" in node else []
        return here + [name for inner in node.values() for name in schema_refs(inner)]
    return [name for inner in node for name in schema_refs(inner)] if isinstance(node, list) else []


def _models(*, sent: bool) -> tuple[type[Record], ...]:
    return tuple(dict.fromkeys(channel.message for channel in CHANNELS if channel.sent is sent))


def _generated(
    models: Sequence[type[Record]], mode: Literal["serialization", "validation"], root: str
) -> tuple[Schemas, Mapping[str, str]]:
    where, found = models_json_schema([(model, mode) for model in models], ref_template=f"{root}{{model}}")
    schemas: Schemas = {name: dict(schema) for name, schema in found["$defs"].items()}
    return schemas, {model.__name__: str(where[model, mode]["$ref"]).rpartition("/")[2] for model in models}


def _renamed(schema: dict[str, object], names: Mapping[str, str]) -> dict[str, object]:
    return {key: _with_refs(inner, names) for key, inner in schema.items()}


def _with_refs(node: object, names: Mapping[str, str]) -> object:
    if isinstance(node, list):
        return [_with_refs(inner, names) for inner in node]
    if isinstance(node, str) and node.startswith("#/"):
        root, slash, name = node.rpartition("/")
        return f"{root}{slash}{names.get(name, name)}"
    return {key: _with_refs(inner, names) for key, inner in node.items()} if isinstance(node, dict) else node


def _complete(schema: dict[str, object]) -> None:
    """Require every field, since the service publishes all of them, and allow more in later versions.

    Rows and outputs are published again as they were stored, also those from before a field was added.
    """
    schema.pop("additionalProperties", None)
    if isinstance(schema.get("properties"), dict):
        schema["required"] = [name for name in cast("dict[str, object]", schema["properties"]) if name not in YOUNGER]


def _reach(node: object, needed: set[str], schemas: Schemas) -> None:
    for name in schema_refs(node):
        if name not in needed:
            needed.add(name)
            _reach(schemas[name], needed, schemas)


def _admit_more(schemas: Schemas, name: str, root: str) -> None:
    """Add a choice for kinds and acts that later versions add."""
    properties = schemas[name].get("properties")
    for field, choice in properties.items() if isinstance(properties, dict) else ():
        if not _is_discriminator("discriminator", choice.get("discriminator")):
            continue
        tag = choice["discriminator"]["propertyName"]
        further = f"{FURTHER}{name}{field.title()}"
        schemas[further] = {
            "description": "A kind or act of a later minor version. Keep its place in the chain; ignore its content.",
            "type": "object",
            "required": [tag],
            "properties": {tag: {"type": "string"}},
            # At the object and not at its field: generators that cannot express an exclusion still type the field.
            "not": {"properties": {tag: {"enum": list(choice["discriminator"]["mapping"])}}, "required": [tag]},
        }
        choice["oneOf"] = [*choice["oneOf"], {"$ref": f"{root}{further}"}]


def plain_schema(node: object) -> object:
    """Return `node` without the discriminators of OpenAPI, which no schema that admits later kinds can have."""
    if isinstance(node, list):
        return [plain_schema(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    return {key: plain_schema(inner) for key, inner in node.items() if not _is_discriminator(key, inner)}


def _is_discriminator(key: str, value: object) -> bool:
    return key == "discriminator" and isinstance(value, dict) and "propertyName" in value

"""JSON Schemas as a reader needs them: one row a field, with its type, range and default, and a valid example."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from _generate.markdown import code

Schema = Mapping[str, object]

# An example of each pattern that the models use; a pattern without one fails the build.
SAMPLES: Final[Mapping[str, str]] = {
    r"^[A-Za-z0-9_-]{1,64}$": "a1",
    r"^[^\x00-\x1f\x7f]*$": "text",
    r"^[0-9a-f]{64}$": "0f" * 32,
    r"^[A-Za-z0-9+/]*={0,2}$": "A" * 88,
    r"^[a-z]{1,16}$": "red",
    r"^[0-9]{0,16}$": "12",
    r"^\d{4}-\d\d-\d\d$": "2026-03-02",
    r"^[0-9A-Za-z.+-]{1,32}$": "0.3.16",
    r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$": "2026-03-02T18:00:25.500Z",
}

# What the commonest bounds mean: the words of `events.base`.
_NAMES: Final[Mapping[str, str]] = {
    r"^[A-Za-z0-9_-]{1,64}$": "identifier",
    r"^[^\x00-\x1f\x7f]*$": "text",
    r"^[0-9a-f]{64}$": "32 bytes, hexadecimal",
    r"^[A-Za-z0-9+/]*={0,2}$": "bytes, base64",
    r"^\d{4}-\d\d-\d\d$": "date",
    r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$": "time, RFC 3339 UTC",
    r"^([01]\d|2[0-3]):[0-5]\d$": "time of day, HH:MM",
    r"^([A-Za-z0-9_-]{1,64}|[a-z-]{1,16}:/[ -~]{1,200})$": "name, or prefix and absolute path",
}


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of a schema: its name, what it may hold, its default as JSON (None: it must be given), its words."""

    name: str
    kind: str
    default: str | None
    words: str


def fields(schema: Schema, schemas: Mapping[str, Schema]) -> Iterator[FieldRow]:
    """Yield the fields of an object's schema in order; `schemas` resolves its references."""
    required = _list(schema.get("required"))
    for name, value in _dict(schema.get("properties")).items():
        node = _dict(value)
        given = "default" in node or name not in required
        default = json.dumps(node.get("default"), ensure_ascii=False) if given else None
        yield FieldRow(name, kind_of(node, schemas), default, str(node.get("description", "")))


def kind_of(node: Schema, schemas: Mapping[str, Schema]) -> str:
    """Return what a value may be, as Markdown."""
    if "$ref" in node:
        name = str(node["$ref"]).rpartition("/")[2]
        target = schemas[name]
        return f"`{name}`" if "properties" in target else kind_of(target, schemas)
    if "const" in node:
        return code(json.dumps(node["const"]))
    if "enum" in node:
        return " or ".join(code(json.dumps(one)) for one in _list(node["enum"]))
    for choice in ("anyOf", "oneOf"):
        if choice in node:
            return " or ".join(dict.fromkeys(kind_of(_dict(one), schemas) for one in _list(node[choice])))
    return _kind_of_type(node, schemas)


def _kind_of_type(node: Schema, schemas: Mapping[str, Schema]) -> str:
    match node.get("type"):
        case "array":
            return f"list{_bounds(node, 'minItems', 'maxItems')} of {kind_of(_dict(node.get('items')), schemas)}"
        case "object":
            inner = _dict(node.get("additionalProperties"))
            return f"table of {kind_of(inner, schemas)}" if inner else "table"
        case "integer":
            return f"integer{_bounds(node, 'minimum', 'maximum')}"
        case "string":
            return _string(node)
        case "boolean":
            return "true or false"
        case "null":
            return "null"
        case other:
            return str(other or "any")


def example(node: Schema, schemas: Mapping[str, Schema]) -> object:
    """Return a value that `node` allows, the same at every call."""
    if "$ref" in node:
        return example(schemas[str(node["$ref"]).rpartition("/")[2]], schemas)
    if "const" in node:
        return node["const"]
    if "enum" in node:
        return _list(node["enum"])[0]
    for choice in ("anyOf", "oneOf"):
        if choice in node:
            return example(_dict(_list(node[choice])[0]), schemas)
    return _example_of_type(node, schemas)


def _example_of_type(node: Schema, schemas: Mapping[str, Schema]) -> object:
    match node.get("type"):
        case "array":
            return [example(_dict(node.get("items")), schemas)] * max(1, _number(node.get("minItems")))
        case "object":
            return {name: example(_dict(one), schemas) for name, one in _dict(node.get("properties")).items()}
        case "integer":
            return max(1, _number(node.get("minimum")))
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return SAMPLES[str(node["pattern"])] if "pattern" in node else "text"


def _string(node: Schema) -> str:
    pattern = str(node.get("pattern", ""))
    if node.get("format") == "path":
        return "path"
    if node.get("format") == "date":
        return "date"
    if pattern in _NAMES:
        return _NAMES[pattern] + _bounds(node, "minLength", "maxLength", " characters")
    return f"string {code(pattern)}" if pattern else "string" + _bounds(node, "minLength", "maxLength", " characters")


def _bounds(node: Schema, least: str, most: str, unit: str = "") -> str:
    low, high = node.get(least), node.get(most)
    if low is None and high is None:
        return ""
    if high is None:
        return f", from {_number(low):,}{unit}"
    top = "2^53 - 1" if _number(high) == 2**53 - 1 else f"{_number(high):,}"
    return f", up to {top}{unit}" if low is None else f", {_number(low):,} to {top}{unit}"


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []

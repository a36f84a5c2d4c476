"""Titles of schemas, which code generators take as names of types. Threat: one title for several types.

A schema of its own is titled with its name. What stands inline in a field is titled with the names of schema and field
where a generator needs a type for it, and has no title elsewhere.
"""

from collections.abc import Mapping
from typing import Final, cast

_TYPES: Final = frozenset({"enum", "const", "oneOf"})
"""Keywords of a schema for which generators make a type of its own."""

_CHOICES: Final = ("anyOf", "oneOf")


def titled_schema(name: str, schema: Mapping[str, object]) -> dict[str, object]:
    """Return the schema `name` with titles that occur nowhere else in the contract."""
    made: dict[str, object] = {"title": name, **{key: inner for key, inner in schema.items() if key != "title"}}
    properties = schema.get("properties")
    if isinstance(properties, dict):
        made["properties"] = {field: _inline(f"{name}{_camel(field)}", inner) for field, inner in properties.items()}
    return made


def _inline(name: str, schema: Mapping[str, object]) -> dict[str, object]:
    made: dict[str, object] = {key: inner for key, inner in schema.items() if key != "title"}
    for key in _CHOICES:
        if key in made:
            made[key] = [_inline(f"{name}{place}", each) for place, each in enumerate(_schemas(made[key]), 1)]
    if isinstance(made.get("items"), dict):
        made["items"] = _inline(f"{name}Item", cast("dict[str, object]", made["items"]))
    # A choice of a type or null is a type of its own too, for a language without unions.
    return {"title": name, **made} if _TYPES & made.keys() or "anyOf" in made else made


def _schemas(choice: object) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", choice)


def _camel(field: str) -> str:
    return "".join(f"{part[:1].upper()}{part[1:]}" for part in field.split("_"))

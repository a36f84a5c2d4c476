"""Check whether a consumer written for an older contract works with a newer one. Threat: a well-meant change.

What consumers read may gain fields, kinds and channels. What they write may gain optional fields and wider choices.
Every other change breaks a consumer and needs a new schema version.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pitwarden_client.contract.schemas import FURTHER

_BOUNDS: Final = ("type", "const", "pattern", "format", "$ref", "items", "not")
_READ_BOUNDS: Final = (*_BOUNDS, "minimum", "maximum", "maxLength", "minLength", "maxItems", "minItems")
_ANNOTATIONS: Final = frozenset({"title", "description", "default", "discriminator"})


def breaking_changes(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Return why `new` breaks consumers of `old`, as sentences. Both are AsyncAPI documents of this package."""
    return [*_channels(old, new), *_schemas(old, new)]


def _channels(old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[str]:
    before, after = _part(old, "channels"), _part(new, "channels")
    for name, channel in before.items():
        if name not in after:
            yield f"channel {name} is gone"
        elif any(_of(channel, key) != _of(after[name], key) for key in ("address", "messages")):
            yield f"channel {name} has another address or message"
    operations = _part(new, "operations")
    for name, operation in _part(old, "operations").items():
        if name in operations and _of(operation, "bindings") != _of(operations[name], "bindings"):
            yield f"operation {name} is retained or acknowledged otherwise"


def _schemas(old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[str]:
    before, after = (_constraints(_part(_part(document, "components"), "schemas")) for document in (old, new))
    for name, schema in before.items():
        if name not in after:
            yield f"schema {name} is gone"
        elif isinstance(schema, dict) and not name.startswith(FURTHER):
            written = schema.get("additionalProperties") is False
            yield from _differ(name, schema, after[name], written=written)


def _differ(place: str, old: object, new: object, *, written: bool) -> Iterator[str]:
    if not isinstance(old, dict) or not isinstance(new, dict):
        if old != new:
            yield f"{place} is something else"
        return
    for key in _BOUNDS if written else _READ_BOUNDS:
        if old.get(key) != new.get(key):
            yield f"{place}: {key} was {old.get(key)!r} and is {new.get(key)!r}"
    yield from _choices(place, old, new, written=written)
    fields, others = _part(old, "properties"), _part(new, "properties")
    for field, schema in fields.items():
        if field not in others:
            yield f"{place}.{field} is gone"
        else:
            yield from _differ(f"{place}.{field}", schema, others[field], written=written)
    demanded, given = set(_list(old, "required")), set(_list(new, "required"))
    if written and given - demanded:
        yield f"{place} demands {', '.join(sorted(map(str, given - demanded)))}"
    if not written and demanded - given:
        yield f"{place} may lack {', '.join(sorted(map(str, demanded - given)))}"


def _choices(place: str, old: Mapping[str, object], new: Mapping[str, object], *, written: bool) -> Iterator[str]:
    for key in ("enum", "oneOf", "anyOf"):
        before, after = _list(old, key), _list(new, key)
        gone = [each for each in before if each not in after]
        more = [each for each in after if each not in before]
        further = any(FURTHER in str(each) for each in before)
        if gone:
            yield f"{place}: {key} lacks {gone!r}"
        if more and not written and not further:
            yield f"{place}: {key} has {more!r} that readers do not know"


def _constraints(schemas: Mapping[str, object]) -> Mapping[str, object]:
    """Return the schemas without what binds no message: titles, descriptions, defaults, hints for generators."""
    return {name: _constraint(schema) for name, schema in schemas.items()}


def _constraint(node: object) -> object:
    if isinstance(node, list):
        return [_constraint(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    return {
        # The fields of an object are names, not keywords: one may be called `title`.
        key: _constraints(inner) if key == "properties" and isinstance(inner, dict) else _constraint(inner)
        for key, inner in node.items()
        if key not in _ANNOTATIONS
    }


def _part(node: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = node.get(key)
    return found if isinstance(found, dict) else {}


def _of(node: object, key: str) -> object:
    return node.get(key) if isinstance(node, dict) else None


def _list(node: Mapping[str, object], key: str) -> Sequence[object]:
    found = node.get(key)
    return found if isinstance(found, list) else ()

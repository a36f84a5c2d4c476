"""Snapshot: a state as bytes, for the judge's recovery between rounds.

Threat: anyone who reads the disk. Hidden faces are in the bytes, so the judge stores them sealed to its own key.
"""

import hashlib
import json
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from types import UnionType
from typing import Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter

from pitwarden.rules.profile.facts import Fact, FactKind
from pitwarden.rules.setup.table_setup import TableSetup, profile_digest
from pitwarden.rules.state.state import RulesState


class SnapshotError(ValueError):
    """A snapshot cannot be made during a round, or cannot be read: other profile, other format, damage.

    Policy: the state is folded from the log instead.

    Example: a snapshot of a table whose `[rules]` section was changed.
    """


def state_to_bytes(state: RulesState) -> bytes:
    """Return a snapshot of `state`; equal states give equal bytes.

    Raises:
        SnapshotError: A round is in progress.
    """
    if state.round.open:
        raise SnapshotError(f"round {state.round.number} is not over: a snapshot is taken between rounds")
    body = {"format": snapshot_format(), "profile": state.digest, "state": _plain(state)}
    return json.dumps(body, separators=(",", ":"), sort_keys=True).encode()


def state_from_bytes(data: bytes, setup: TableSetup) -> RulesState:
    """Return the state in a snapshot made under the same `setup`.

    Raises:
        SnapshotError: The snapshot has another format or profile, or is damaged.
    """
    try:
        body = json.loads(data)
        if (body["format"], body["profile"]) != (snapshot_format(), profile_digest(setup)):
            raise SnapshotError("the snapshot was made by other rules or for another table file")
        return cast("RulesState", _made(RulesState, body["state"], setup))
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, SnapshotError):
            raise
        raise SnapshotError("the snapshot is damaged") from None


@cache
def snapshot_format() -> str:
    """Return the format of the bytes: a digest over the names and types of all stored fields.

    So whoever changes a field cannot forget to raise it. A snapshot of another format is refused, and the state is
    folded from the log. Names of classes are not part of it.
    """
    return hashlib.sha256(json.dumps(_shape(RulesState)).encode()).hexdigest()[:16]


def _shape(kind: object, *around: object) -> object:
    """Return the field names and types of a stored value; `around` are the types that hold it."""
    if kind in around:
        return "as above"
    around = (*around, kind)
    if kind is Fact:
        return list(Fact._fields)
    if isinstance(kind, type) and is_dataclass(kind):
        return {name: _shape(hint, *around) for name, hint in _hints(kind).items() if hint is not TableSetup}
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "record"  # the contract holds it
    args = get_args(kind)
    if get_origin(kind) in {Union, UnionType}:
        return sorted(json.dumps(_shape(one, *around)) for one in args)
    if args:
        return [str(get_origin(kind)), *(_shape(one, *around) for one in args)]
    return getattr(kind, "__name__", repr(kind))


def _plain(value: object) -> object:
    # The set-up is not stored: it holds the auditor's secret, and the reader supplies its own after comparing digests.
    if isinstance(value, TableSetup):
        return None
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted((_plain(item) for item in value), key=json.dumps)
    return value


def _made(kind: object, value: object, setup: TableSetup) -> object:
    if kind is TableSetup:
        return setup
    if value is None:
        return None
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        some = [arg for arg in args if arg is not type(None)]
        if all(isinstance(arg, type) and issubclass(arg, BaseModel) for arg in some):
            return _adapter(kind).validate_json(json.dumps(value))
        return _made(_member(some, value), value, setup)
    if isinstance(kind, type) and issubclass(kind, Fact):
        return Fact(*cast("tuple[FactKind, str | None]", value))
    if origin is tuple:
        items = cast("list[object]", value)
        kinds = [args[0]] * len(items) if args[-1] is Ellipsis else list(args)
        return tuple(_made(one, item, setup) for one, item in zip(kinds, items, strict=True))
    if origin is frozenset:
        return frozenset(_made(args[0], item, setup) for item in cast("list[object]", value))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.model_validate_json(json.dumps(value))
    if isinstance(kind, type) and is_dataclass(kind):
        hints, given = _hints(kind), cast("dict[str, object]", value)
        return kind(**{name: _made(hint, given[name], setup) for name, hint in hints.items()})
    return value


def _member(kinds: list[object], value: object) -> object:
    """Return the member of a union that `value` was made from: of records, the one that has exactly its fields."""
    given = value.keys() if isinstance(value, dict) else set()
    records = [kind for kind in kinds if isinstance(kind, type) and is_dataclass(kind)]
    return next((kind for kind in records if {field.name for field in fields(kind)} == given), kinds[0])


@lru_cache(maxsize=64)
def _hints(kind: type) -> dict[str, object]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


@lru_cache(maxsize=64)
def _adapter(kind: object) -> TypeAdapter[object]:
    made: TypeAdapter[object] = TypeAdapter(cast("type[object]", kind))
    return made

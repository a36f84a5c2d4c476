"""Recording: one line of JSON for each judged row, and the differences between two recordings."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from typing import Final

from pydantic import BaseModel

from pitwarden.rules import public_state
from pitwarden_tools.recorder.material import JudgedRow

WORDS: Final = frozenset({"sentence", "clears", "rules_version", "profile_digest"})
"""Fields that a new wording changes, and nothing else may."""


def recorded(name: str, rows: Iterable[JudgedRow]) -> Iterator[str]:
    """Yield a line for each row: its place, its outputs, and the public fields that it changed.

    The term of the permit is written relative to the log time, since it moves with every row.
    """
    before: dict[str, object] = {}
    for row in rows:
        public = public_state(row.state)
        after = {field.name: _plain(getattr(public, field.name)) for field in fields(public)}
        permit = public.permit
        after["permit"] = [permit.granted, permit.reasons, permit.expires_ms - row.state.log_ms]
        changed = {key: value for key, value in after.items() if before.get(key) != value}
        before = after
        line = {"log": name, "row": row.entry.number, "outputs": _plain(row.outputs), "state": changed}
        yield json.dumps(line, ensure_ascii=False, sort_keys=True)


def differences(old: Iterable[str], new: Iterable[str], *, words: bool) -> Iterator[tuple[str, str]]:
    """Yield each pair of lines that differ; an empty line where one recording is longer.

    Args:
        old: Lines of the earlier recording.
        new: Lines of the later one.
        words: Compare the words too. Without them, `WORDS` are left out of the comparison.
    """
    for one, other in zip_longest(old, new, fillvalue=""):
        if one != other and (words or _meaning(one) != _meaning(other)):
            yield one, other


def explained(old: str, new: str) -> str:
    """Return in one line where a pair of lines differs."""
    if not old or not new:
        return f"only in the {'earlier' if old else 'later'} recording: {old or new}"
    before, after = json.loads(old), json.loads(new)
    parts = [f"{key}: {_short(before[key])} -> {_short(after[key])}" for key in before if before[key] != after[key]]
    return f"{after['log']} row {after['row']}: {'; '.join(parts)}"


def _short(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)[:2_000]


def _meaning(line: str) -> object:
    return _without(json.loads(line)) if line else None


def _without(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without(item) for key, item in value.items() if key not in WORDS}
    return [_without(item) for item in value] if isinstance(value, list) else value


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        made = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {"output": type(value).__name__, **made}
    return [_plain(item) for item in value] if isinstance(value, Sequence) and not isinstance(value, str) else value

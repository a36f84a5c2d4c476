"""Acts of terminals as they are typed: `kp.boxes boxes=[1,2]`; and the list of all of them."""

import difflib
import json
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, TypeAdapter, ValidationError

from pitwarden.config.problems import nested_models
from pitwarden_client.events.base import Record, Role
from pitwarden_client.events.inputs import Act

_ACTS: Final[TypeAdapter[Record]] = TypeAdapter(Act)


def parse_act(name: str, words: Sequence[str]) -> Record:
    """Return the act `name` with the fields in `words`, each `key=value`, where a value is JSON or else text.

    Raises:
        ValueError: The act or a field is wrong; the sentence advises what to write.
    """
    fields: dict[str, object] = {"act": name}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word!r} is no argument: write key=value")
        fields[key] = _value(value)
    try:
        return _ACTS.validate_json(json.dumps(fields))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "union_tag_invalid":
            near = difflib.get_close_matches(name, known_acts(), 1)
            raise ValueError(f"{name} is no act" + (f" (did you mean {near[0]}?)" if near else "")) from None
        place = ".".join(map(str, first["loc"][1:]))
        raise ValueError(f"{name}: {place + ': ' if place else ''}{first['msg']}") from None


def known_acts() -> list[str]:
    """Return the names of all acts, sorted."""
    return sorted(_ACTS.json_schema()["discriminator"]["mapping"])


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def act_lines(role: Role | None) -> list[str]:
    """Return a line for each act that `role` may send (None: every act): its name, arguments and meaning."""
    lines: list[str] = []
    for model in sorted(nested_models(Act), key=_act_name):
        name = _act_name(model)
        if role is not None and (role == "dealer") != name.startswith("kp."):
            continue
        fields = ((key, one) for key, one in model.model_fields.items() if key != "act")
        shown = " ".join(f"{key}=..." if one.is_required() else f"[{key}=...]" for key, one in fields)
        lines.append(f"{name} {shown}".rstrip())
        lines.append(f"    {(model.__doc__ or '').strip().splitlines()[0]}")
    return lines


def _act_name(model: type[BaseModel]) -> str:
    return str(model.model_fields["act"].default)

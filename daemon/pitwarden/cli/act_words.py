"""Words of a command line as an act: `kp.boxes boxes=[1,2]`, `ft.inspect device=shoe ok=true`."""

import difflib
import json
from collections.abc import Sequence
from typing import Final

from pitwarden_client.events.base import Record
from pitwarden_client.events.inputs import Act
from pydantic import TypeAdapter, ValidationError

_ACTS: Final[TypeAdapter[Record]] = TypeAdapter(Act)


def act_of(name: str, words: Sequence[str]) -> Record:
    """The act `name` with `words` of the form key=value (a value is JSON, else text); ValueError with advice."""
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
            near = difflib.get_close_matches(name, acts(), 1)
            raise ValueError(f"{name} is no act" + (f" (did you mean {near[0]}?)" if near else "")) from None
        place = ".".join(map(str, first["loc"][1:]))
        raise ValueError(f"{name}: {place + ': ' if place else ''}{first['msg']}") from None


def acts() -> list[str]:
    """Every act there is."""
    return sorted(_ACTS.json_schema()["discriminator"]["mapping"])


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text

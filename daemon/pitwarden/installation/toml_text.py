"""Text of a TOML file from plain values. tomllib reads only, and a table file needs no more than this."""

import json
from collections.abc import Mapping, Sequence
from datetime import date


def toml_section(path: Sequence[str], values: Mapping[str, object]) -> str:
    """Return the section `path` with `values`; mappings among them are written inline."""
    lines = [f"[{'.'.join(map(_key, path))}]", *(f"{_key(key)} = {_value(value)}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def _key(text: str) -> str:
    plain = text.replace("_", "").replace("-", "")
    return text if plain.isascii() and plain.isalnum() else json.dumps(text)


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case date():
            return value.isoformat()
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case Mapping():
            inner = ", ".join(f"{_key(str(key))} = {_value(one)}" for key, one in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case _:
            # A JSON string with non-ASCII characters kept is a TOML basic string, but for DEL.
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")

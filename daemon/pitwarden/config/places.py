"""Where a key of a TOML file stands. tomllib keeps no line numbers, so a small scan finds them for messages."""

import re
from typing import Final

_HEADER: Final = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?")
_KEY: Final = re.compile(r"^\s*([A-Za-z0-9_.\"'-]+)\s*=")


def line_of(text: str, path: tuple[str, ...]) -> int:
    """The line (from 1) of the key at `path`, or of the nearest table above it; 1 where nothing matches."""
    best = (0, 1)
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        key = _KEY.match(line)
        if header:
            section = _parts(header.group(1))
            here = section
        elif key:
            here = section + _parts(key.group(1))
        else:
            continue
        shared = len(here) if path[: len(here)] == here else 0
        if shared > best[0]:
            best = (shared, number)
    return best[1]


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))

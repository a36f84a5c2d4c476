"""The lock of what runs: those blocks of requirements.lock that distributions of ours need, without tools.

Usage: runtime_lock.py [--without LOCK] requirements.lock PYPROJECT[+EXTRA,...]... >runtime.lock

The locked packages are those of the environment that it runs in. One PYPROJECT for each distribution of ours, with the
extras that are installed too. What another LOCK holds is left out.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import requires
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_BLOCK: Final = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==")


def needed(texts: Iterable[str]) -> set[str]:
    """Every distribution that these requirements bring in here, by canonical name."""
    found: set[tuple[str, str]] = set()
    waiting = [(text, "") for text in texts]
    while waiting:
        text, extra = waiting.pop()
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        for wanted in ("", *requirement.extras):
            if (name, wanted) not in found:
                found.add((name, wanted))
                waiting += [(each, wanted) for each in requires(name) or []]
    return {name for name, _ in found}


def blocks(lock: str) -> dict[str, str]:
    """Each locked distribution's lines, by canonical name."""
    made: dict[str, str] = {}
    name = ""
    for line in lock.splitlines():
        start = _BLOCK.match(line)
        if start:
            name = canonicalize_name(start["name"])
            made[name] = ""
        if name and not line.lstrip().startswith("#"):
            made[name] += line + "\n"
    return made


def main() -> None:
    """Print the lock; KeyError names a library that is not locked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--without", type=Path)
    parser.add_argument("lock", type=Path)
    parser.add_argument("projects", nargs="+", metavar="PYPROJECT[+EXTRA,...]")
    args = parser.parse_args()
    locked = blocks(args.lock.read_text(encoding="utf-8"))
    texts = [text for place in args.projects for text in _required(place)]
    others = [text for text in texts if not canonicalize_name(Requirement(text).name).startswith("pitwarden")]
    elsewhere = blocks(args.without.read_text(encoding="utf-8")) if args.without else {}
    sys.stdout.write("".join(locked[name] for name in sorted(needed(others) - elsewhere.keys())))


def _required(place: str) -> list[str]:
    file, _, extras = place.partition("+")
    project = tomllib.loads(Path(file).read_text(encoding="utf-8"))["project"]
    return [
        *project["dependencies"],
        *(text for extra in filter(None, extras.split(",")) for text in project["optional-dependencies"][extra]),
    ]


if __name__ == "__main__":
    main()

"""The lock of what runs: those blocks of requirements.lock that pitwarden needs, without tools.

Of the extras it has `property` alone: a machine that judges for a property gets nothing from a registry.

Usage: runtime_lock.py requirements.lock PYPROJECT... >runtime.lock

The locked packages are those of the environment that it runs in. One PYPROJECT for each distribution of ours.
"""

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
    found: set[str] = set()
    waiting = list(texts)
    while waiting:
        requirement = Requirement(waiting.pop())
        wanted = canonicalize_name(requirement.name)
        if wanted not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found.add(wanted)
            waiting += requires(wanted) or []
    return found


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
    locked = blocks(Path(sys.argv[1]).read_text(encoding="utf-8"))
    projects = [tomllib.loads(Path(file).read_text(encoding="utf-8"))["project"] for file in sys.argv[2:]]
    ours = {canonicalize_name(project["name"]) for project in projects}
    texts = [text for project in projects for text in project["dependencies"]]
    texts += [text for project in projects for text in project.get("optional-dependencies", {}).get("property", ())]
    others = [text for text in texts if canonicalize_name(Requirement(text).name) not in ours]
    sys.stdout.write("".join(locked[name] for name in sorted(needed(others))))


if __name__ == "__main__":
    main()

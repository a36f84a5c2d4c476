"""Which scenario files speak to which clause: by a file's name and by its header's `covers`."""

import re
from pathlib import Path
from typing import Final

from pitwarden.scenario import parse

_NAMED: Final = re.compile(r"(G|TAB|DAB|CB|IB|SH|MS|CR)-\d\d")


def files_in(folder: Path) -> list[Path]:
    """Every scenario file under `folder`, in order of its path."""
    return sorted(folder.rglob("*.scn"))


def covered(file: Path) -> frozenset[str]:
    """The catalogue numbers that the name and the header of `file` claim; ScenarioError when it cannot be read."""
    named = _NAMED.match(file.name)
    claims = parse(file.read_text(encoding="utf-8"), str(file)).header.covers
    return frozenset(claims) | ({named[0]} if named else frozenset())


def by_clause(folder: Path) -> dict[str, tuple[str, ...]]:
    """Catalogue number -> the names of the scenarios under `folder` that speak to it, each once."""
    claims = [(clause, file.stem) for file in files_in(folder) for clause in covered(file)]
    return {clause: tuple(sorted({name for claimed, name in claims if claimed == clause})) for clause, _ in claims}

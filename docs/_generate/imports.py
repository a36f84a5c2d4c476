"""The list of what each room of the source tree may import, from the contracts that import-linter checks.

`docs/reference/imports.md` is committed, since readers of the tree search in it; a test compares it.
`PYTHONPATH=docs python -m _generate.imports` writes it again.
"""

import ast
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from _generate.markdown import code, escape_outside_code, page, table

ROOT: Final = Path(__file__).parents[2]
FILE: Final = ROOT / "docs" / "reference" / "imports.md"
SOURCES: Final[Mapping[str, str]] = {
    "pitwarden": "daemon",
    "pitwarden_drivers": "drivers",
    "pitwarden_client": "client",
    "pitwarden_console": "console",
    "pitwarden_simulators": "simulators",
    "pitwarden_tools": "tools",
}
"""Folder of each distribution's package, in the order of the page."""

_BETWEEN: Final = re.compile(r"\s*[|:]\s*")


@cache
def contracts() -> Sequence[Mapping[str, Sequence[str]]]:
    """Return the contracts of import-linter as `pyproject.toml` has them."""
    read: Sequence[Mapping[str, Sequence[str]]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "tool"
    ]["importlinter"]["contracts"]
    return read


@cache
def layers() -> Mapping[str, Sequence[str]]:
    """Return the layers of each package that has some, from the top."""
    return {package: one["layers"] for one in contracts() for package in one.get("containers", ())}


def may_import(room: str) -> list[str]:
    """Return the rooms that `room` may import, from the top layer to the bottom, those of other packages last."""
    package, _, name = room.rpartition(".")
    found = [f"{package}.{other}" for other in _lower(layers()[package], name)]
    found += may_import(package) if "." in package else _lower_packages(package)
    return [one for one in found if not _is_forbidden(room, one)]


def imports_page() -> str:
    """Return the page: a table of rooms for each package."""
    parts = [
        (
            "One row for each room of the source tree: its subject, the rooms that it may import, the libraries that "
            "it must not import, and those that one of its files alone imports. A room is a folder, or a file where no "
            "folder is named. The files of a room may import each other. import-linter checks the same contracts in "
            "the tests; [Architecture](../explanation/architecture.md) gives the reasons."
        ),
        (
            f"`pitwarden_client` (its events) stands for the client without {_list(_not_events())}. Two folders that "
            "stand in each other's row are one room. A layer permits more than is used: the rules, for instance, "
            "import no driver."
        ),
        (
            "To read a row: code in the room of the first column may import a room of the third column, and no other "
            "room of this tree. A room with a longer name, such as `pitwarden.field.log` after `pitwarden.field`, is "
            "part of the shorter one: its own row adds which neighbors it may import. An empty last column bars "
            "no library that the distribution depends on."
        ),
    ]
    for package, folder in SOURCES.items():
        rooms = [f"{package}.{name}" for layer in layers()[package] for name in _BETWEEN.split(layer)]
        rooms = [inner for room in rooms for inner in (room, *_inner(room))]
        rows = ((code(room), _subject(room), _rooms(room), _libraries(room)) for room in rooms)
        parts += [f"## {package}, in `{folder}/`", table(("room", "subject", "may import", "libraries"), rows)]
    return page("What a room may import", *parts)


def _inner(room: str) -> list[str]:
    return [f"{room}.{name}" for layer in layers().get(room, ()) for name in _BETWEEN.split(layer)]


def _lower(order: Sequence[str], name: str) -> list[str]:
    """Return the names in the layers below that of `name`, with its neighbors where `:` permits them."""
    found, below = list[str](), False
    for layer in order:
        names = _BETWEEN.split(layer)
        if below:
            found += names
        elif name in names:
            below = True
            found += [one for one in names if ":" in layer and one != name]
    return found


def _lower_packages(package: str) -> list[str]:
    order = next(one["layers"] for one in contracts() if "pitwarden_tools" in one.get("layers", ()))
    return _lower(order, package) if package in order else ["pitwarden_client"]


def _forbidden(room: str) -> list[str]:
    return [
        target
        for one in contracts()
        if any(_is_in(room, source) for source in one.get("source_modules", ()))
        for target in one.get("forbidden_modules", ())
    ]


def _is_forbidden(room: str, other: str) -> bool:
    return any(_is_in(other, target) for target in _forbidden(room))


def _is_in(room: str, package: str) -> bool:
    return room == package or room.startswith(f"{package}.")


def _rooms(room: str) -> str:
    """Return the rooms that `room` may import as text, each with the rooms in it that it must not."""
    told = list[str]()
    for one in may_import(room):
        without = [each for each in _forbidden(room) if _is_in(each, one)]
        if set(without) == set(_not_events()):
            told.append(f"{code(one)} (its events)")
        else:
            told.append(f"{code(one)} (not {_list(without)})" if without else code(one))
    return ", ".join(told) or "nothing of pitwarden"


def _not_events() -> Sequence[str]:
    """Return the rooms of the client that the packages must not import which know its events alone."""
    return next(one["forbidden_modules"] for one in contracts() if "know the events alone" in one["name"])


def _list(rooms: Sequence[str]) -> str:
    return ", ".join(code(room) for room in rooms)


def _subject(room: str) -> str:
    path = ROOT / SOURCES[room.partition(".")[0]] / room.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return escape_outside_code(said.partition("\n")[0])


def _libraries(room: str) -> str:
    alone: dict[str, list[str]] = {}
    for edge in (edge for one in contracts() for edge in one.get("ignore_imports", ())):
        source, _, library = edge.partition(" -> ")
        file = source.removesuffix(".**")
        if _is_in(file, room):
            alone.setdefault(file, []).append(library)
    barred = [
        target
        for one in contracts()
        if "ignore_imports" not in one and any(_is_in(room, source) for source in one.get("source_modules", ()))
        for target in one["forbidden_modules"]
        if not target.startswith("pitwarden")
    ]
    told = [f"not {_list(list(dict.fromkeys(barred)))}"] if barred else []
    told += [f"{code(file)} imports {_list(names)}" for file, names in alone.items()]
    return "; ".join(told)


if __name__ == "__main__":
    FILE.write_text(imports_page(), encoding="utf-8")

"""Everything that the repository cites is in the repository: catalogue numbers, sections, field cases and files."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from _generate.field_cases import cases
from _generate.pages import PAGES
from pitwarden.rules import load_profile
from pitwarden.rules.profile.clauses import load_readings
from pitwarden.rules.profile.library import load_library

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ROOT / "docs" / "sources"
FOLDERS: Final = (
    "daemon",
    "client",
    "console",
    "drivers",
    "simulators",
    "tools",
    "tests",
    "config",
    "systemd",
    "docs",
    "packaging",
)
SUFFIXES: Final = {".py", ".toml", ".scn", ".md"}

NUMBER: Final = re.compile(
    r"(?<![\w/:-])(?:G|TAB|DAB|CB|IB|SH|CR|C)-\d\d(?![\w-])|(?<![\w/-])A9-(?:\d{1,2}|[a-z])(?![\w-])"
)
SECTION: Final = re.compile(r"(?:13:69|19:4)[EF67]-(\d+[A-Z]*\.\d+[A-Z]*)")
COMMENT: Final = re.compile(r"(?:^|  )#.*$", re.MULTILINE)
CASE: Final = re.compile(r"(?<![\w/-])B\d\d(?![\w.])")
FILE: Final = re.compile(r"(?<![\w./{*-])((?:[\w.-]+/)*[\w-]+\.(?:md|py|scn))(?![\w(*])")
GENERATED: Final = frozenset(f"docs/{name}" for name in PAGES)

# The clause that the guide for contributors adds; files that stand for any of their kind; the integrators' driver.
EXAMPLE_CLAUSE: Final = "CB-99"
EXAMPLE_SECTION: Final = "51.99"
EXAMPLES: Final = frozenset({"night.scn", "page.md"})
WORKED_EXAMPLE: Final = "tally/"


def files() -> Iterator[Path]:
    """Yield every text that cites: code, data, scenarios, documents."""
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in SUFFIXES and "__pycache__" not in file.parts and file != Path(__file__):
                yield file


@cache
def prose(file: Path) -> str:
    """Return what a person reads in a file: of code its docstrings and comments alone."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        return text
    parts = [
        ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    parts += COMMENT.findall(text)
    return "\n".join(parts)


def place(file: Path, cite: str) -> str:
    return f"{file.relative_to(ROOT)}: {cite}"


@cache
def catalogue() -> str:
    return (SOURCES / "catalogue.md").read_text(encoding="utf-8")


def test_every_catalogue_number_has_an_anchor() -> None:
    known = {name.upper() for name in re.findall(r"^\(([\w-]+)\)=$", catalogue(), re.MULTILINE)}
    known |= {one.ident for one in load_readings()} | {EXAMPLE_CLAUSE}
    # A clause that a profile words itself has its cite and its subject there.
    known |= {
        clause.ident for game in load_library().games.values() for clause in load_profile(game.name, game.decks).clauses
    }
    dangling = [
        place(file, cite)
        for file in files()
        for cite in sorted(set(NUMBER.findall(prose(file))))
        if cite.upper().replace("A9-0", "A9-") not in known
    ]
    assert dangling == []


def test_every_section_of_the_regulation_is_in_the_sources() -> None:
    named = catalogue() + (SOURCES / "regulations.md").read_text(encoding="utf-8")
    known = {*re.findall(r"(?<![\d.])(\d{1,2}[A-Z]*\.\d+[A-Z]*)", named), EXAMPLE_SECTION}
    dangling = [
        place(file, cite)
        for file in files()
        for cite in sorted(set(SECTION.findall(file.read_text(encoding="utf-8"))))
        if cite not in known
    ]
    assert dangling == []


def test_every_field_case_is_described() -> None:
    known = set(cases())
    dangling = [
        place(file, cite)
        for file in files()
        if file.suffix in {".py", ".md"}
        for cite in sorted(set(CASE.findall(prose(file))))
        if cite not in known
    ]
    assert dangling == []


@cache
def _all_files() -> frozenset[str]:
    found = {str(file.relative_to(ROOT)) for file in ROOT.glob("*.*")}
    for folder in FOLDERS:
        found |= {str(file.relative_to(ROOT)) for file in (ROOT / folder).rglob("*.*")}
    return frozenset(found)


def exists(name: str) -> bool:
    """Return whether a file or package of the repository has this name, or a path that ends with it."""
    names = {name, name.removesuffix(".py") + "/__init__.py"}
    return any(one.endswith(tuple(f"/{each}" for each in names)) or one in names for one in (*_all_files(), *GENERATED))


def test_every_file_that_is_named_is_there() -> None:
    dangling = [
        place(file, name)
        for file in files()
        for name in sorted(set(FILE.findall(prose(file))) - EXAMPLES)
        if not (name.startswith(WORKED_EXAMPLE) or _is_link(file, name) or exists(name) or _is_included(file, name))
    ]
    assert dangling == []


def _is_link(file: Path, name: str) -> bool:
    """Return whether the build of the documents checks this name, or a page has its reader make the file."""
    return file.suffix == ".md" and (name.endswith(".md") or "/" not in name)


def _is_included(file: Path, name: str) -> bool:
    """Return whether a page names this file by its path from the page, as a `literalinclude` does."""
    return file.suffix == ".md" and name.startswith("../") and (file.parent / name).exists()


@pytest.mark.parametrize("text", ["see TAB-36 and A9-6", "C-22"])
def test_the_pattern_finds_a_number(text: str) -> None:
    assert NUMBER.findall(text)

"""The map of the source tree names files and names that are there, and leaves no file out."""

import ast
import re
from pathlib import Path

import pytest

from testkit.documents.page_blocks import ROOT

PAGE = (ROOT / "docs/explanation/where-to-find-what.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+\?) \| `([^`]+)` \| (?:`([\w.]+)`)? *\|$", PAGE, re.MULTILINE)
LISTED = {path for _, path, _ in ROWS}
UNLISTED = {"__init__.py", "__main__.py", "errors.py"}
"""Files that the page leaves out by a rule that it states."""


def names_in(path: str) -> set[str]:
    """Return the names of a file: `function`, `Class`, `Class.method` and constants."""
    made = set[str]()
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        match node:
            case ast.ClassDef():
                methods = (one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
                made |= {node.name, *(f"{node.name}.{one.name}" for one in methods)}
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                made.add(node.name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                made.add(name)
            case _:
                pass
    return made


def is_listed(file: Path) -> bool:
    path = file.relative_to(ROOT).as_posix()
    if path in LISTED or any(path.startswith(folder) for folder in LISTED if folder.endswith("/")):
        return True
    # The page states that a command is in the file of its name.
    return path == f"daemon/pitwarden/cli/{file.name}" and f'name = "{file.stem}"' in file.read_text(encoding="utf-8")


def test_each_question_leads_to_a_file_and_a_name_that_exist() -> None:
    assert len(ROWS) == PAGE.count("? | `")
    assert [path for _, path, _ in ROWS if not (ROOT / path).exists()] == []
    assert [(path, name) for _, path, name in ROWS if name and name not in names_in(path)] == []


def test_no_question_stands_twice() -> None:
    questions = [question for question, _, _ in ROWS]
    assert sorted(questions) == sorted(set(questions))


@pytest.mark.parametrize("root", ["client", "console", "daemon", "drivers"])
def test_each_file_is_on_the_map(root: str) -> None:
    files = (file for file in sorted((ROOT / root).rglob("*.py")) if file.name not in UNLISTED)
    missing = [file.relative_to(ROOT).as_posix() for file in files if not is_listed(file)]
    assert missing == [], "add a question for each to docs/explanation/where-to-find-what.md"


@pytest.mark.parametrize("root", ["simulators", "tools"])
def test_each_room_is_on_the_map(root: str) -> None:
    rooms = {file.parent for file in (ROOT / root).rglob("*.py") if file.name not in UNLISTED}
    known = {(ROOT / path).parent for path in LISTED}
    assert sorted(room.relative_to(ROOT).as_posix() for room in rooms - known) == []

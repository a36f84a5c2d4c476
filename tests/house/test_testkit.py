"""The test kit is kept like the code: each fake has a room, a name of its own, and a test that uses it."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KIT = ROOT / "tests" / "support" / "testkit"
MODULES = sorted(KIT.rglob("*.py"))
PLUGIN = "testkit.runner.full_run"  # pytest calls its functions by their names
SOURCES = ("console", "daemon", "drivers", "simulators", "tools")


def public_names(path: Path, *kinds: type[ast.stmt]) -> list[str]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    found = [node for node in body if isinstance(node, kinds)]
    names = [node.name for node in found if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)]
    return [name for name in names if not name.startswith("_")]


def test_a_module_stands_in_a_room() -> None:
    loose = [path.name for path in KIT.glob("*.py") if path.name != "__init__.py"]
    loose += [path.name for path in KIT.parent.glob("*.py")]
    assert loose == []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(KIT)))
def test_a_module_says_what_it_stands_for(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))


def test_no_fake_has_the_name_of_another_class() -> None:
    ours = Counter(name for module in MODULES for name in public_names(module, ast.ClassDef))
    theirs = {
        name
        for source in SOURCES
        for path in (ROOT / source).rglob("*.py")
        for name in public_names(path, ast.ClassDef)
    }
    assert sorted(name for name, times in ours.items() if times > 1 or name in theirs) == []


def test_no_fake_is_left_without_a_use() -> None:
    imported, modules = set[tuple[str, str]](), set[str]()
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("testkit."):
                imported |= {(str(node.module), alias.name) for alias in node.names}
                modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    unused = []
    for path in MODULES:
        module = ".".join(("testkit", *path.relative_to(KIT).with_suffix("").parts))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        loaded = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names = public_names(path, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if module not in modules and module != PLUGIN:
            unused += [f"{module}.{name}" for name in names if name not in loaded and (module, name) not in imported]
    assert unused == []


def test_the_readme_lists_each_room() -> None:
    fakes = (ROOT / "tests" / "README.md").read_text(encoding="utf-8").partition("## Fakes")[2]
    listed = re.findall(r"^\| `(\w+)` \|", fakes, re.MULTILINE)
    assert listed == sorted(path.parent.name for path in KIT.glob("*/__init__.py"))

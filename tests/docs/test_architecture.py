"""The page on the architecture names files, names and layers that are there."""

import ast
import re
import tomllib

from testkit.documents.page_blocks import ROOT

PAGE = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| [^|]+\? \| `([^`]+)` \| (?:`(\w+)`)? *\|$", re.MULTILINE)


def names_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    named = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)}
    assigned = (
        node.targets[0] if isinstance(node, ast.Assign) else node.target
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
    )
    return named | {target.id for target in assigned if isinstance(target, ast.Name)}


def test_each_question_leads_to_a_file_and_a_name_that_exist() -> None:
    rows = ROW.findall(PAGE)
    assert len(rows) == PAGE.count("? | `")
    assert [path for path, _ in rows if not (ROOT / path).exists()] == []
    assert [(path, name) for path, name in rows if name and name not in names_in(path)] == []


def test_the_layers_of_the_service_are_those_of_the_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {one["name"]: one["layers"] for one in settings["tool"]["importlinter"]["contracts"] if "layers" in one}
    listed = [set(re.findall(r"`(\w+)`", line)) for line in re.findall(r"^\d\. (.*)$", PAGE, re.MULTILINE)]
    wanted = [{name.strip() for name in layer.split("|")} - {"client"} for layer in contracts["layers of the service"]]
    assert listed == wanted


def test_the_files_that_may_import_a_foreign_library_are_those_of_the_contracts() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    edges = {edge for one in contracts for edge in one.get("ignore_imports", ()) if "pitwarden" not in edge.split()[-1]}
    rows = re.findall(r"^  \| (`[a-z_`, ]+`) \| (`pitwarden[\w.`, ]+`) \|$", PAGE, re.MULTILINE)
    listed = [(re.findall(r"`(\w+)`", names), re.findall(r"`([\w.]+)`", files)) for names, files in rows]
    assert {(library, file) for names, files in listed for library in names for file in files} == {
        (library, file) for file, library in (edge.split(" -> ") for edge in edges)
    }

"""The page on the architecture names the layers and libraries of the contracts."""

import re
import tomllib

import pytest

from testkit.documents.page_blocks import ROOT

PAGE = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
LAYERS = {one["containers"][0]: one["layers"] for one in CONTRACTS if "containers" in one}
INNER = dict(re.findall(r"^\| `([\w.]+)` \| (`\w+`[;,].+) \|$", PAGE, re.MULTILINE))


def rooms(layers: list[str]) -> list[set[str]]:
    return [set(re.findall(r"\w+", layer)) for layer in layers]


def test_the_layers_of_the_service_are_those_of_the_contract() -> None:
    assert rooms(re.findall(r"^\d\. (.*)$", PAGE, re.MULTILINE)) == rooms(LAYERS["pitwarden"])


def test_the_layers_of_each_contract_are_on_the_page() -> None:
    assert sorted([*INNER, "pitwarden"]) == sorted(LAYERS)


@pytest.mark.parametrize("inside", sorted(INNER))
def test_inner_layers_are_those_of_the_contract(inside: str) -> None:
    assert rooms(INNER[inside].split(";")) == rooms(LAYERS[inside])


def test_the_files_that_may_import_a_foreign_library_are_those_of_the_contracts() -> None:
    edges = {edge for one in CONTRACTS for edge in one.get("ignore_imports", ()) if "pitwarden" not in edge.split()[-1]}
    rows = re.findall(r"^  \| (`[a-z_`, ]+`) \| (`pitwarden[\w.*`, ]+`) \|$", PAGE, re.MULTILINE)
    listed = [(re.findall(r"`(\w+)`", names), re.findall(r"`([\w.*]+)`", files)) for names, files in rows]
    assert {(library, file) for names, files in listed for library in names for file in files} == {
        (library, file) for file, library in (edge.split(" -> ") for edge in edges)
    }

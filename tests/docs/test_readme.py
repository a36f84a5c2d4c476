"""Each README is true: what it links to, names and imports is there. That of the repository is short."""

import re
from pathlib import Path
from typing import Final

import pytest

import pitwarden_client
from _generate.pages import PAGES, page_names
from testkit.documents.page_blocks import ROOT, blocks

README: Final = ROOT / "README.md"
FOLDERS: Final = (
    "changes",
    "client",
    "console",
    "daemon",
    "docs",
    "drivers",
    "simulators",
    "systemd",
    "tests",
    "tools",
)
ALL: Final = (README, *(file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("README.md"))))
LINES: Final = 150


def test_it_has_at_most_150_lines() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= LINES


@pytest.mark.parametrize("readme", ALL, ids=lambda file: str(file.relative_to(ROOT)))
def test_its_links_lead_somewhere(readme: Path) -> None:
    pages = {ROOT / "docs" / name for name in page_names()}
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", readme.read_text(encoding="utf-8"))
    found = [(readme.parent / target).resolve() for target in targets]
    assert [target for target in found if target not in pages and not target.exists()] == []


@pytest.mark.parametrize("readme", ALL, ids=lambda file: str(file.relative_to(ROOT)))
def test_what_its_example_imports_of_the_client_is_public(readme: Path) -> None:
    code = "\n".join(block.text for block in blocks(readme) if block.language == "python")
    imported = re.findall(r"^from pitwarden_client import (.+)$", code, re.MULTILINE)
    names = {name.strip() for line in imported for name in line.split(",")}
    assert names <= set(pitwarden_client.__all__)


def test_it_has_a_command_to_try() -> None:
    assert any("./run demo" in block.text for block in blocks(README) if block.language == "bash")


def test_the_pages_that_are_not_in_the_tree_are_listed_with_what_they_are_made_from() -> None:
    text = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/*-]+\.md)` \| (.+) \| `(_generate/\w+\.py)` \|$", text, re.MULTILINE)
    makers = {name: f"{write.__module__.replace('.', '/')}.py" for name, write in PAGES.items()}
    assert {page: maker for page, _, maker in rows} == makers | {"reference/profiles/*.md": "_generate/rules.py"}
    sources = [source for _, cell, _ in rows for source in re.findall(r"`([^`]+)`", cell)]
    assert [source for source in sources if not (ROOT / source).exists()] == []

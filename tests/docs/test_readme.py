"""The front page of the repository is short, and what it names is there."""

import re
from typing import Final

from _generate.pages import generated
from testkit.documents.page_blocks import ROOT, blocks

README: Final = ROOT / "README.md"
LINES: Final = 150


def test_it_has_at_most_150_lines() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= LINES


def test_its_links_lead_somewhere() -> None:
    pages = {f"docs/{name}" for name in generated()}
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", README.read_text(encoding="utf-8"))
    assert targets
    assert [target for target in targets if target not in pages and not (ROOT / target).exists()] == []


def test_it_has_a_command_to_try() -> None:
    assert any("./run demo" in block.text for block in blocks(README) if block.language == "bash")

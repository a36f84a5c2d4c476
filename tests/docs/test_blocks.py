"""What a page shows works: TOML is valid, scenarios agree, Python compiles, commands run and print what is shown."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Final

import pytest
from pydantic import TypeAdapter

from pitwarden.config.models import TableFile
from pitwarden.scenario import as_text, parse_scenario, play_scenario
from testkit.documents.page_blocks import CONDITIONS, ROOT, Block, agrees, blocks, run, scratch_copy

PAGES: Final = (*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")))
BLOCKS: Final = [block for page in PAGES if page.exists() for block in blocks(page)]
RUNNABLE: Final = ("bash", "python")
THESE_TESTS: Final = "./run tests"


def of(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


@pytest.mark.parametrize("block", of("toml"), ids=str)
def test_toml_is_valid(block: Block) -> None:
    tree = tomllib.loads(block.text)
    if {"table", "storage"} <= set(tree):
        TableFile.model_validate(tree)
        return
    for name, value in tree.items():
        field = TableFile.model_fields.get(name)
        if field is not None and field.annotation is not None and isinstance(value, dict):
            TypeAdapter[object](field.annotation).validate_python(value)


def written_scenarios() -> list[tuple[str, str]]:
    """Return the scenarios that commands of a page write to a file, with their expectations, by page and file."""
    found = [
        (f"{block.file.stem}/{name}", text)
        for block in of("bash")
        for name, text in re.findall(r"^cat >(\S+\.scn) <<'END'\n(.*?)^END$", block.text, re.MULTILINE | re.DOTALL)
        if "->" in text
    ]
    return found or [("none", "")]


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in written_scenarios()])
def test_each_scenario_that_expects_something_agrees(text: str) -> None:
    assert text, "no page writes a scenario"
    outcome = play_scenario(parse_scenario(text, "a page"))
    assert outcome.agrees, "\n" + "\n".join(as_text(outcome, expanded=False))


@pytest.mark.parametrize("block", of("python"), ids=str)
def test_python_compiles(block: Block) -> None:
    ast.parse(block.text, type_comments=False)


def test_the_documents_have_blocks_of_each_language() -> None:
    assert {"toml", *RUNNABLE} <= {block.language for block in BLOCKS}


def test_every_condition_is_known() -> None:
    assert {condition for block in BLOCKS for condition in block.conditions} <= set(CONDITIONS)


def test_output_may_leave_things_out() -> None:
    assert agrees("a ... b\n...\nend", "first\na 12  b\nmore\nlines\nend\n")
    assert not agrees("a\nb", "a\nc\n")


def is_run(block: Block) -> bool:
    return block.language in RUNNABLE and not block.conditions and THESE_TESTS not in block.text


def pages_with_commands() -> list[Path]:
    return sorted({block.file for block in BLOCKS if is_run(block)})


@pytest.mark.full
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("page", pages_with_commands(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path) -> None:
    scratch = scratch_copy(tmp_path)
    for block in blocks(page):
        if is_run(block):
            run(block, scratch)

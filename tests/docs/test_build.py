"""The documents build strictly and without a network: HTML, man pages, completion."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from _generate.__main__ import assemble, linked, without_empty_sections
from _generate.commands import subparsers, whole_parser
from _generate.shell import COMPLETIONS, write
from testkit.documents.page_blocks import ROOT

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

# What man says of a word that is longer than a column; nothing is lost by it.
COSMETIC: Final = ("cannot adjust line", "can't break line")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "source"
    assemble(folder)
    return folder


def sphinx(builder: str, source: Path, target: Path) -> str:
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-n",
        "-b",
        builder,
        str(source),
        str(target),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr
    return ended.stderr


def pages(folder: Path) -> Iterator[Path]:
    return folder.rglob("*.html")


def test_the_pages_build_and_ask_nothing_of_another_host(source: Path, tmp_path: Path) -> None:
    assert sphinx("html", source, tmp_path) == ""
    outside = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?//(?!www\.sphinx-doc)')
    assert [page.name for page in pages(tmp_path) if outside.search(page.read_text(encoding="utf-8"))] == []


def test_the_man_pages_render(source: Path, tmp_path: Path) -> None:
    sphinx("man", source, tmp_path / "man")
    write(tmp_path)
    made = sorted(file.name for file in (tmp_path / "man").iterdir() if file.is_file() and file.suffix[1:].isdigit())
    assert made == [
        "pitwarden-alarms.7", "pitwarden-map.5", "pitwarden-scenario.5", "pitwarden-table.5",
        "pitwarden-table@.service.8", "pitwarden-tdp.7", "pitwarden.1", "pitwarden.7",
    ]  # fmt: skip
    if shutil.which("man") is None:
        pytest.fail("man is not installed: apt-get install man-db groff")
    for name in made:
        command = ["man", "--warnings", "-l", str(tmp_path / "man" / name)]
        wide = {"MANWIDTH": "120", "PATH": "/usr/bin:/bin"}
        ended = subprocess.run(command, capture_output=True, text=True, check=False, env=wide)
        assert ended.returncode == 0
        assert [row for row in ended.stderr.splitlines() if not any(word in row for word in COSMETIC)] == []


def test_man_page_completion_and_parser_know_the_same_commands(tmp_path: Path) -> None:
    write(tmp_path)
    known = set(subparsers(whole_parser()))
    page = (tmp_path / "man" / "pitwarden.1").read_text(encoding="utf-8").replace("\\-", "-")
    assert {name for name in known if f"pitwarden {name}" not in page} == set()
    for name in COMPLETIONS.values():
        script = (tmp_path / "completion" / name).read_text(encoding="utf-8")
        assert {command for command in known if command not in script} == set()
    bash = tmp_path / "completion" / COMPLETIONS["bash"]
    assert subprocess.run(["bash", "-n", str(bash)], check=False).returncode == 0


def test_links_to_files_at_the_root_are_kept() -> None:
    assert linked("[a](../../CHANGELOG.md#x) [b](../CONTRIBUTING.md)") == (
        "[a](../project/CHANGELOG.md#x) [b](project/CONTRIBUTING.md)"
    )


def test_a_section_without_a_page_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "page.md").touch()
    index = "# top\n\n## A\n\na/*\n\n## B\n\nb/*\n\n## C\n\nwords\n"
    assert without_empty_sections(index, tmp_path) == "# top\n\n## A\n\na/*\n\n## C\n\nwords\n"

"""Assembles the source tree of the documentation: the written pages and, next to them, the generated ones.

Usage: PYTHONPATH=docs python -m _generate FOLDER
"""

import re
import shutil
import sys
from pathlib import Path
from typing import Final

from _generate.pages import generated

DOCS: Final = Path(__file__).parents[1]
PROJECT: Final = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Files at the root of the repository that are pages of the documentation too, in its folder `project`."""

_TO_PROJECT: Final = re.compile(rf"\]\(((?:\.\./)+)({'|'.join(map(re.escape, PROJECT))})")
_LINK: Final = re.compile(r"\[([^\]]+)\]\((?!https?:|mailto:|#)([^)\s]+)\)")


def assemble(target: Path) -> None:
    """Write every page into `target`, which is emptied first. A generated page never replaces a written one."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(DOCS, target, ignore=shutil.ignore_patterns("_generate", "__pycache__", "*.pyc"))
    for name, text in generated().items():
        file = target / name
        if file.exists():
            raise FileExistsError(f"docs/{name} is generated and must not be written by hand. Remove it")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for file in target.rglob("*.md"):
        file.write_text(linked(file.read_text(encoding="utf-8")), encoding="utf-8")
    (target / "project").mkdir()
    for name in PROJECT:
        if (DOCS.parent / name).exists():
            text = (DOCS.parent / name).read_text(encoding="utf-8")
            (target / "project" / name).write_text(_LINK.sub(_relinked, text), encoding="utf-8")
    index = target / "index.md"
    index.write_text(without_empty_sections(index.read_text(encoding="utf-8"), target), encoding="utf-8")


def without_empty_sections(index: str, pages: Path) -> str:
    """Return the front page without the sections whose folders have no page yet: the build rejects an empty list."""
    head, *sections = re.split(r"^(?=## )", index, flags=re.MULTILINE)
    kept = [one for one in sections if not _patterns(one) or any(any(pages.glob(f"{p}.md")) for p in _patterns(one))]
    return "".join((head, *kept))


def _patterns(section: str) -> list[str]:
    return re.findall(r"^\S+/\*$", section, re.MULTILINE)


def linked(text: str) -> str:
    """Return a page whose links to files at the root of the repository lead to the folder `project`."""
    return _TO_PROJECT.sub(lambda match: f"]({match[1].removeprefix('../')}project/{match[2]}", text)


def _relinked(link: re.Match[str]) -> str:
    """Return a link of a file at the root as a page of the folder `project` has it; words alone for other files."""
    words, path = link.groups()
    if path.startswith("docs/"):
        return f"[{words}](../{path.removeprefix('docs/')})"
    return link[0] if path.partition("#")[0] in PROJECT else words


if __name__ == "__main__":
    if len(sys.argv) != 2:  # noqa: PLR2004  the one argument
        sys.exit("usage: python -m _generate FOLDER")
    assemble(Path(sys.argv[1]))

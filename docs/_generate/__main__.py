"""Assembles the source tree of the documentation: the written pages and, next to them, the generated ones.

Usage: PYTHONPATH=docs python -m _generate FOLDER
"""

import shutil
import sys
from pathlib import Path
from typing import Final

from _generate.pages import generated

DOCS: Final = Path(__file__).parents[1]


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


if __name__ == "__main__":
    if len(sys.argv) != 2:  # noqa: PLR2004  the one argument
        sys.exit("usage: python -m _generate FOLDER")
    assemble(Path(sys.argv[1]))

"""Write what a shell needs in addition to the HTML: pitwarden(1), and completion for bash and zsh.

Usage: PYTHONPATH=docs python -m _generate.shell FOLDER
"""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

import shtab
from build_manpages.manpage import Manpage

from _generate.commands import subparsers, whole_parser

COMPLETIONS = {"bash": "pitwarden.bash", "zsh": "_pitwarden"}


def man_page() -> str:
    """Return pitwarden(1) in the format of man."""
    parser = whole_parser()
    parser.man_short_description = "supervision of casino gaming tables"  # type: ignore[attr-defined]  # read by Manpage
    made = Manpage(
        parser,
        format="single-commands-section",
        _data={
            "project_name": "pitwarden",
            "version": version("pitwarden"),
            "manual_title": "pitwarden",
            "authors": [],
            "description": "supervision of casino gaming tables",
            "long_description": "",
            "url": "",
        },
    )
    return str(made)


def completion(shell: str) -> str:
    """Return the completion script of `shell`, with hints for arguments that are files."""
    parser = whole_parser()
    _hint(parser)
    return str(shtab.complete(parser, shell))


def _hint(of: argparse.ArgumentParser) -> None:
    for action in of._actions:  # noqa: SLF001  argparse has no public way to read a parser
        if action.type is Path:
            action.complete = shtab.DIRECTORY if action.metavar == "FOLDER" else shtab.FILE  # type: ignore[attr-defined]  # read by shtab
    for inner in subparsers(of).values():
        _hint(inner)


def write(folder: Path) -> None:
    """Write the man page into `folder`/man and the completion scripts into `folder`/completion."""
    (folder / "man").mkdir(parents=True, exist_ok=True)
    (folder / "man" / "pitwarden.1").write_text(man_page(), encoding="utf-8")
    (folder / "completion").mkdir(parents=True, exist_ok=True)
    for shell, name in COMPLETIONS.items():
        (folder / "completion" / name).write_text(completion(shell), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:  # noqa: PLR2004  the one argument
        sys.exit("usage: python -m _generate.shell FOLDER")
    write(Path(sys.argv[1]))

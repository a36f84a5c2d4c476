"""Code blocks of a page of the documents: their content, and how a page's commands are run."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[4]
DEADLINE_S: Final = 600

# Conditions of `bash skip-if-...`: where a block runs instead, or why no test can run it.
CONDITIONS: Final = {
    "no-broker": "needs a broker of its own",
    "no-controller": "runs in the test of the installed package",
    "no-hardware": "needs devices that are plugged in",
    "no-network": "asks another host",
    "no-regulations": "needs the texts of the regulations, which may not be reprinted",
    "no-repository": "clones the repository or pushes to it",
    "no-root": "needs root",
    "no-terminal": "needs a person at a terminal",
}

_TARGET: Final = re.compile(r"^`(?P<path>[\w./-]+\.py)`:$")
_FENCE: Final = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<info>[^`]*)$")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page.

    Attributes:
        file: The page.
        line: Line of the fence, from 1.
        language: First word of the fence, such as `bash`.
        words: Further words of the fence, such as `skip-if-no-root`.
        text: The lines between the fences.
        output: What it must print: the text of an `output` block that follows it, None without one.
        target: The file that it is the text of, named by a line such as "`tally/wire.py`:" before it; else None.
    """

    file: Path
    line: int
    language: str
    words: tuple[str, ...]
    text: str
    output: str | None = None
    target: str | None = None

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions under which it is skipped."""
        return tuple(word.removeprefix("skip-if-") for word in self.words if word.startswith("skip-if-"))

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}"


def blocks(file: Path) -> list[Block]:
    """Return the blocks of a page in order; an `output` block belongs to the command before it."""
    found: list[Block] = []
    for block in _fenced(file):
        if block.language == "output" and found and found[-1].output is None:
            found[-1] = replace(found[-1], output=block.text)
        else:
            found.append(block)
    return found


def run(block: Block, scratch: Path) -> None:
    """Run a `bash` or `python` block in `scratch` and compare what it prints.

    A block that is the text of a file is written to that file instead.

    Raises:
        AssertionError: It prints other text; the message names the block.
    """
    if block.target is not None:
        (scratch / block.target).parent.mkdir(parents=True, exist_ok=True)
        (scratch / block.target).write_text(block.text, encoding="utf-8")
        return
    command = (
        ["bash", "-euo", "pipefail", "-c", block.text]
        if block.language == "bash"
        else [sys.executable, "-c", block.text]
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(scratch), "NO_COLOR": "1", "COLUMNS": "160"}
    ended = subprocess.run(
        command, cwd=scratch, env=environment, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert ended.returncode == 0, f"{block} ended with {ended.returncode}:\n{ended.stdout}\n{ended.stderr}"
    if block.output is not None:
        assert agrees(block.output, ended.stdout), f"{block} printed:\n{ended.stdout}\nexpected:\n{block.output}"


def agrees(expected: str, printed: str) -> bool:
    """Return whether `printed` matches a page; `...` stands for any text, also of several lines.

    Runs of spaces count as one. The parts between `...` are found one after the other, in linear time.
    """
    text, at = _squeezed(printed), 0
    for part in _squeezed(expected.strip()).split("..."):
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _squeezed(text: str) -> str:
    return "\n".join(re.sub(" +", " ", line.rstrip()) for line in text.splitlines())


def scratch_copy(folder: Path) -> Path:
    """Fill `folder` with links to every entry of the repository, so that commands such as `./run` work; return it."""
    for entry in ROOT.iterdir():
        if entry.name not in {".git", "build", "dist"}:
            (folder / entry.name).symlink_to(entry)
    return folder


def _fenced(file: Path) -> Iterator[Block]:
    opened: tuple[int, str, list[str]] | None = None
    lines: list[str] = []
    indent = 0
    before = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = _FENCE.match(line)
        if opened is None:
            if match:
                opened = (number, match["fence"], match["info"].split())
                indent, lines = len(match["indent"]), []
        elif match and not match["info"] and match["fence"].startswith(opened[1]):
            start, _, info = opened
            target = _TARGET.match(before)
            yield Block(
                file, start, info[0] if info else "", tuple(info[1:]), "\n".join(lines) + "\n",
                target=target["path"] if target else None,
            )  # fmt: skip
            opened, before = None, ""
        else:
            lines.append(line[indent:])
        if opened is None and line.strip():
            before = line

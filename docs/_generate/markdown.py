"""Markdown of generated pages: tables, headings and text that cannot break the table around it."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_NOT_IN_A_CELL: Final = re.compile(r"[|\n]")
_SPECIAL: Final = re.compile(r"([*_<>\[\]{}$#~`\\])")


def code(text: str) -> str:
    """Return `text` as inline code; nothing for an empty one."""
    return f"`{text}`" if text else ""


def cell(text: str) -> str:
    """Return Markdown `text` on one line, with its vertical bars escaped."""
    return _NOT_IN_A_CELL.sub(lambda match: " " if match[0] == "\n" else "\\|", text)


def escape(text: str) -> str:
    """Return plain `text` with every character escaped that Markdown would interpret."""
    return _SPECIAL.sub(r"\\\1", text)


def prose(text: str) -> str:
    """Return a docstring as paragraphs of Markdown: line ends inside a paragraph become spaces."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip())]
    return "\n\n".join(escape_outside_code(part) for part in paragraphs)


def escape_outside_code(text: str) -> str:
    """Return `text` escaped, except for what stands between back quotes."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return "`".join(part if index % 2 else escape(part) for index, part in enumerate(parts))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells are Markdown already."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(cell(each) for each in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def page(title: str, *parts: str) -> str:
    """Return a page of `title` and its `parts`, each separated by an empty line."""
    return "\n\n".join([f"# {title}", *(part.strip("\n") for part in parts if part)]) + "\n"


def anchor(name: str) -> str:
    """Return a target line: `(name)=`, with the name in the form that links use."""
    return f"({anchor_name(name)})="


def anchor_name(name: str) -> str:
    """Return the anchor of a catalogue number, a command or a key: lower case, other characters as hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")

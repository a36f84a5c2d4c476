"""Lines with a style as coloured text."""

from typing import Final

from rich.text import Text

from pitwarden.watch.screen import Line, Style

_COLOURS: Final[dict[Style, str]] = {
    "title": "bold", "stale": "bold white on red", "good": "bold green", "bad": "bold red", "warn": "yellow",
    "plain": "", "dim": "dim", "chosen": "bold red reverse",
}  # fmt: skip


def paint(lines: list[Line]) -> Text:
    """`lines` one below the other."""
    made = Text()
    for place, (style, words) in enumerate(lines):
        made.append(("\n" if place else "") + words, style=_COLOURS[style])
    return made

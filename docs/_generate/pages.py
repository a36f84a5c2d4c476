"""The generated pages: which there are, and what writes each."""

from collections.abc import Callable, Mapping
from typing import Final

from _generate.specification import tdp

PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "reference/tdp.md": tdp,
}
"""File below `docs/` and what writes its text."""


def generated() -> dict[str, str]:
    """Return the text of every generated page, by its file below `docs/`."""
    return {name: write() for name, write in PAGES.items()}

"""Pango, with which the console lays out its reports: libraries of Debian, which no wheel contains."""

from collections.abc import Mapping
from ctypes.util import find_library
from typing import Final

_LIBRARIES: Final[Mapping[str, str]] = {
    "pango-1.0": "libpango-1.0-0",
    "pangoft2-1.0": "libpangoft2-1.0-0",
    "harfbuzz-subset": "libharfbuzz-subset0",
}
"""Debian's package of each library."""


def missing_pango() -> str:
    """Return why no report can be laid out here; empty when it can."""
    missing = [package for library, package in _LIBRARIES.items() if find_library(library) is None]
    return f"no Pango: apt-get install {' '.join(missing)}" if missing else ""

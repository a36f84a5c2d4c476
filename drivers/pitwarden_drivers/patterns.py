"""Patterns that a person writes for a driver. RE2 runs them in linear time, whatever a device sends."""

from collections.abc import Mapping
from typing import Final

import re2

_QUIET: Final = re2.Options()
_QUIET.log_errors = False


class PatternRefused(ValueError):  # noqa: N818  the field's word for it
    """RE2 does not take the pattern. Policy: refuse the file that it stands in. Example: a back-reference."""


def groups_of(pattern: str) -> Mapping[str, int]:
    """The named groups of `pattern`; PatternRefused."""
    try:
        return dict(re2.compile(pattern, _QUIET).groupindex)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        words = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        raise PatternRefused(f"{words}: patterns are RE2's (no look-around, no back-references)") from None

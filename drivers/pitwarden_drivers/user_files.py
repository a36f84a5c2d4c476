"""Bounded TOML files and RE2 patterns that integrators write: maps and sets of codes.

RE2 runs patterns in linear time, for any input of a device.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import re2

# Bytes of a map or codes file. Such a file is a page or two; a wrong path may name a device or a disk.
MAX_FILE: Final = 65_536


class UserFileError(ValueError):
    """The file is not valid TOML of a driver. Policy: refuse the table file.

    Example: an image was named in place of the map.
    """


def read_user_file(file: Path) -> dict[str, object]:
    """Return the content of `file`, lists as tuples. No more than the allowed size is read.

    Raises:
        UserFileError: The file is missing, too large or not valid TOML.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_FILE + 1)
    except OSError as error:
        raise UserFileError(f"{file}: it cannot be read, {error.strerror}") from None
    if len(data) > MAX_FILE:
        raise UserFileError(f"{file}: it is longer than {MAX_FILE} bytes: such a file is a page or two")
    try:
        tree = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserFileError(f"{file}: it is no TOML in UTF-8, {error}") from None
    except (ValueError, RecursionError):  # tomllib has no sentence of its own for these
        raise UserFileError(
            f"{file}: it is no TOML in UTF-8, a number is too long or brackets stand too deep"
        ) from None
    return {key: tuple(value) if isinstance(value, list) else value for key, value in tree.items()}


_QUIET: Final = re2.Options()
_QUIET.log_errors = False


class PatternError(ValueError):
    """RE2 rejects the pattern. Policy: refuse the file that contains it. Example: a back-reference."""


def named_groups(pattern: str) -> Mapping[str, int]:
    """Return the named groups of `pattern`.

    Raises:
        PatternError: RE2 rejects it.
    """
    try:
        return dict(re2.compile(pattern, _QUIET).groupindex)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        words = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        raise PatternError(f"{words}: patterns are RE2's (no look-around, no back-references)") from None

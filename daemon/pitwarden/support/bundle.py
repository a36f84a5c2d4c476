"""Archive of a support bundle: every part is redacted before it is written."""

import io
import os
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pitwarden.support.redaction import Redaction

_ABOUT: Final = """\
Support bundle of pitwarden, made at {made} (UTC).

Removed: contents of key and password files in any form, faces of cards{persons}. Not included: journals, keys,
certificates, the table file as it was typed. Read the files before you send them.
"""


def write_bundle(out: Path, parts: Mapping[str, str], redaction: Redaction, made: str, seconds: int) -> None:
    """Write `out` (tar.gz, readable by its owner alone) with one file for each part, and a file README.

    Args:
        out: Place of the archive, which must not exist.
        parts: Text of each file, by name.
        redaction: Redaction of every part.
        made: Time for a person, UTC.
        seconds: The same time in s since 1970, for the archive.

    Raises:
        FileExistsError: There is a file at `out`.
        OSError: It cannot be written.
    """
    persons = "" if redaction.with_persons else ", persons"
    texts = {
        "README": _ABOUT.format(made=made, persons=persons),
        **{name: redaction.apply(text) for name, text in parts.items()},
    }
    descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as raw, tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for name, text in texts.items():
            data = text.encode("utf-8", "replace")
            entry = tarfile.TarInfo(f"pitwarden-support/{name}")
            entry.size, entry.mtime, entry.mode = len(data), seconds, 0o600
            archive.addfile(entry, io.BytesIO(data))

"""Templates of sentences: named fields in braces, without conditions and formats."""

import re
from string import Formatter
from typing import Final

from pitwarden.rules.profile.toml_rows import TomlRow

_FIELD: Final = re.compile(r"[a-z_]+")


def template_fields(row: TomlRow, says: str) -> set[str]:
    """Return the names of the fields in the sentence of `row`.

    Raises:
        ProfileError: A field has a format, a conversion or another form than a name.
    """
    found = set[str]()
    for _, name, spec, conversion in Formatter().parse(says):
        if name is None:
            continue
        if spec or conversion or not _FIELD.fullmatch(name):
            raise row.wrong("says", f"{name!r}: a field is a name in braces, without a format")
        found.add(name)
    return found

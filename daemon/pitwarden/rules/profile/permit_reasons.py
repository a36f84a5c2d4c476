"""Reasons why the deal permit is withheld, as data: `data/permit_reasons.toml` holds one table for each.

Code finds that a reason holds and gives the values of its fields; it holds no words.
"""

from functools import cache
from importlib.resources import files
from typing import Final, TypedDict

from typing_extensions import Unpack

from pitwarden.rules.profile.templates import template_fields
from pitwarden.rules.profile.toml_rows import TomlRow, parse_tables

REASONS_FILE: Final = "permit_reasons.toml"


class ReasonFields(TypedDict, total=False):
    """Values that code gives for the words of a reason, by the names that a template may use."""

    clause: str
    """Catalogue number of the clause."""
    deck: str | None
    device: str
    health: str
    """Health of the device, as the log last stated it."""


@cache
def load_permit_reasons() -> dict[str, str]:
    """Return the templates of all reasons by name.

    Raises:
        ProfileError: A line of the file is wrong.
    """
    text = (files("pitwarden.rules.profile") / "data" / REASONS_FILE).read_text(encoding="utf-8")
    return parse_permit_reasons(REASONS_FILE, text)


def permit_reason(name: str, /, **fields: Unpack[ReasonFields]) -> str:
    """Return the reason `name` with the values of its fields.

    Raises:
        KeyError: No record has the name, or a field of its template has no value.
    """
    return load_permit_reasons()[name].format_map(fields)


def parse_permit_reasons(file: str, text: str) -> dict[str, str]:
    """Return the templates in `text` by name.

    Raises:
        ProfileError: A line is wrong; the error has file, reason and field.
    """
    return {name: _template(row) for name, row in parse_tables(file, text, "reasons").items()}


def _template(row: TomlRow) -> str:
    says = row.text("says")
    for name in template_fields(row, says):
        if name not in ReasonFields.__annotations__:
            raise row.wrong("says", f"nothing gives the field {name!r}: {', '.join(ReasonFields.__annotations__)}")
    row.refuse_rest()
    return says

"""Refusals of inputs as data: the reason that a person reads, and the profile rows under which an input is refused.

`data/refusals.toml` holds one table for each refusal. Code finds that an input is refused and gives the values of the
fields; it holds no reason. A test compares the fields of each template with what the code gives.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, NewType, TypedDict

from typing_extensions import Unpack

from pitwarden.rules.profile.templates import template_fields
from pitwarden.rules.profile.toml_rows import TomlRow, parse_tables

Reason = NewType("Reason", str)
"""Reason in the words of a record. A plain string is no reason: the type checker refuses it."""

REFUSALS_FILE: Final = "refusals.toml"
MOST_CHARACTERS: Final = 500
"""Longest reason that the contract's `Refused` can hold; a list of names that is longer is cut."""


class RefusalFields(TypedDict, total=False):
    """Values that code gives for the reason of a refusal, by the names that a template may use."""

    act: str
    role: str
    game: str
    """Title of the game."""
    box: int
    bettor: int
    hand: str
    """Hand of a box, as `box2` or `box2b`."""
    deck: str
    device: str
    wager: str
    amount: str
    """Amount with its currency, as `$5`."""
    clause: str
    """Catalogue number of the clause."""
    name: str
    """Name of a window, a decision, a wager, a way of dealing, a card or a person."""
    names: str
    """Several names, joined in a sentence."""
    count: int
    """Number that was counted, rolled or keyed."""
    right: int
    most: int
    """Largest permitted number."""
    row: int
    """Number of the log row of an earlier input."""


@dataclass(frozen=True, slots=True)
class RefusalRecord:
    """Reason why an input is refused."""

    name: str
    says: str
    """Template of the sentence; each name in braces is a field, without a condition or a format."""
    under: tuple[str, ...]
    """Keys of the profile rows that forbid the input; empty for the order of the house."""
    fields: frozenset[str]
    """Fields of the template."""

    def sentence(self, fields: Mapping[str, object]) -> str:
        """Return the sentence with the values of its fields."""
        return self.says.format_map(fields)[:MOST_CHARACTERS]


@cache
def load_refusals() -> dict[str, RefusalRecord]:
    """Return all refusals by name.

    Raises:
        ProfileError: A line of the file is wrong.
    """
    text = (files("pitwarden.rules.profile") / "data" / REFUSALS_FILE).read_text(encoding="utf-8")
    return parse_refusals(REFUSALS_FILE, text)


def refusal(name: str, /, **fields: Unpack[RefusalFields]) -> Reason:
    """Return the reason that the record `name` states, with the values of its fields.

    Raises:
        KeyError: No record has the name, or a field of its template has no value.
    """
    return Reason(load_refusals()[name].sentence(fields))


def parse_refusals(file: str, text: str) -> dict[str, RefusalRecord]:
    """Return the refusals in `text` by name.

    Raises:
        ProfileError: A line is wrong; the error has file, refusal and field.
    """
    return {name: _refusal(name, row) for name, row in parse_tables(file, text, "refusals").items()}


def _refusal(name: str, row: TomlRow) -> RefusalRecord:
    says = row.text("says")
    made = RefusalRecord(
        name, says, row.words("under") if "under" in row.data else (), frozenset(template_fields(row, says))
    )
    row.refuse_rest()
    return made

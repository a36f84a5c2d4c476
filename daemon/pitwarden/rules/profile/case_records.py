"""Cases of the clauses as data: the sentence of each, and what clears it.

`data/cases/*.toml` holds one table for each case of a row, in one file for each family of checks: `[row.case]`. The
verdicts of a case stand in the profile of the game, since texts of games differ in them; sentence and remedy are the
same in all games. A profile may word rows of its own in `[cases.row.case]`, next to clause and verdicts. Code finds a
case and gives the values of its fields. It holds no sentence of a case that is here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal, TypedDict

from pitwarden.rules.profile.facts import ClearingStep, bound, parse_step
from pitwarden.rules.profile.grammar import capitalized, device_words, in_number
from pitwarden.rules.profile.templates import template_fields
from pitwarden.rules.profile.toml_rows import TomlRow, parse_toml

ActOf = Literal["none", "dealer", "floor", "supervisor"]
"""Role whose act a case is about; `none` where devices, cards or the log caused it."""
_ROLES: Final[dict[str, ActOf]] = {"none": "none", "dealer": "dealer", "floor": "floor", "supervisor": "supervisor"}


class CaseFields(TypedDict, total=False):
    """Values that a condition gives for the sentence of a case, by the names that a template may use."""

    count: int
    """Number that was counted, drawn or keyed."""
    right: int
    """Number that should have been counted or drawn."""
    left: int
    """Number of cards that remain."""
    booked: int | None
    """Number of cards that the card ledger has there."""
    out: int
    """Number of cards of a deck on the layout."""
    size: int
    """Number of cards of a hand."""
    first: int
    last: int
    """First and last number of a range."""
    other_box: int
    other_deck: str
    known_deck: str
    """Deck that what clears the case is about, where the finding is published without a deck."""
    name: str
    """Name of a card, a wager, a fault, a set or a pass of the deal."""
    other: str
    """Name of another card."""
    names: str
    """Several names, joined in a sentence."""
    result: str
    outcome: str
    line: str


class NoticeFields(CaseFields, total=False):
    """Values for the sentence of a notice, which is published without a deck and a device of its own."""

    deck: str
    device: str


NAMES: Final = frozenset({"box", "deck", "device", *CaseFields.__annotations__})
"""Fields that a template may use, besides the parameters of its row. A finding is published with the first three."""

_NUMBERS: Final = frozenset({"count", "right", "left", "booked", "out", "size"})
_SUBJECTS: Final = frozenset({"deck", "device", "other_deck", "known_deck"})


@dataclass(frozen=True, slots=True, eq=False)
class CaseRecord:
    """One case of a row: what is said of it, and what clears it. Like a row, a record is itself alone."""

    row: str
    case: str
    says: str
    """Template of the sentence; each name in braces is a field, without a condition or a format."""
    clears: tuple[ClearingStep, ...]
    """Clearing conditions with the names of fields for their subjects; empty for a notice."""
    given: str
    """Clearing conditions in words where the condition computes them; else empty."""
    of: str
    """Case whose verdicts and identity it shares; its own name where it has its own."""
    act_of: ActOf
    """Role whose act it is about: nobody of that role acknowledges, rules on, confirms or refutes it."""
    fields: frozenset[str]
    """Fields of the template and of the clearing conditions."""

    @property
    def counts(self) -> bool:
        """True where the sentence has a number."""
        return not self.fields.isdisjoint(_NUMBERS)

    @property
    def params(self) -> frozenset[str]:
        """Fields that are parameters of the row."""
        return self.fields - NAMES

    def sentence(self, fields: Mapping[str, object]) -> str:
        """Return the sentence with the values of its fields: a device by what people call it, None as nothing."""
        given = {name: "" if value is None else value for name, value in fields.items()}
        if "device" in self.fields:
            said = capitalized(self.says.format_map(given | {"device": device_words(str(given["device"]))}))
        else:
            said = self.says.format_map(given)
        return in_number(said) if self.counts else said

    def clearing(self, fields: Mapping[str, object]) -> tuple[ClearingStep, ...]:
        """Return the clearing conditions about the subjects that the fields name."""
        if self.fields.isdisjoint(_SUBJECTS):
            return self.clears
        return bound(self.clears, {name: str(fields.get(name) or "") for name in _SUBJECTS})


@cache
def load_cases() -> dict[str, tuple[CaseRecord, ...]]:
    """Return the cases of each row, by the key of the row.

    Raises:
        ProfileError: A line of a file is wrong.
    """
    found: dict[str, tuple[CaseRecord, ...]] = {}
    folder = files("pitwarden.rules.profile") / "data" / "cases"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        made = parse_cases(file.name, file.read_text(encoding="utf-8"))
        found |= {row: (*found.get(row, ()), *cases) for row, cases in made.items()}
    return found


def parse_cases(file: str, text: str) -> dict[str, tuple[CaseRecord, ...]]:
    """Return the cases in `text`, by the key of the row.

    Raises:
        ProfileError: A line is wrong; the error has file, row, case and field.
    """
    return parse_case_rows(parse_toml(file, text))


def parse_case_rows(whole: TomlRow) -> dict[str, tuple[CaseRecord, ...]]:
    """Return the cases in a table of rows, by the key of the row.

    Raises:
        ProfileError: A line is wrong; the error has file, row, case and field.
    """
    file, place = whole.file, whole.place
    rows = {key: TomlRow(file, f"{place}{key}.", whole.table(key)) for key in whole.data}
    made: dict[str, tuple[CaseRecord, ...]] = {}
    for key, row in rows.items():
        if "like" in row.data:
            other = row.one_of("like", tuple(made))
            made[key] = tuple(_like(one, key) for one in made[other])
            row.refuse_rest()
            continue
        inner = TomlRow(file, place, {key: row.data}).tables(key)
        made[key] = tuple(
            _case(TomlRow(file, f"{place}{key}.{name}.", item.data), key, name) for name, item in inner.items()
        )
        known = {one.case for one in made[key]}
        for one in made[key]:
            if one.of != one.case and one.of in known and _named(made[key], one.of).of != one.of:
                raise row.wrong(f"{one.case}.of", f"{one.of} shares the verdicts of another case itself")
    return made


def _named(cases: tuple[CaseRecord, ...], name: str) -> CaseRecord:
    return next(one for one in cases if one.case == name)


def _like(one: CaseRecord, row: str) -> CaseRecord:
    return CaseRecord(row, one.case, one.says, one.clears, one.given, one.of, one.act_of, one.fields)


def _case(row: TomlRow, key: str, name: str) -> CaseRecord:
    says = row.text("says")
    given = row.text("given") if "given" in row.data else ""
    of = row.text("of") if "of" in row.data else name
    if ("clears" in row.data) == bool(given):
        raise row.wrong("clears", "say what clears the case, or in 'given' how the condition finds it")
    try:
        steps = tuple(parse_step(step) for step in row.words("clears")) if not given else ()
    except ValueError as error:
        raise row.wrong("clears", str(error)) from None
    # A notice and a duty have nothing that a person could rule on.
    act_of = _act_of(row) if steps or given else "none"
    fields = template_fields(row, says) | {one.subject for step in steps for one in step if one.subject in _SUBJECTS}
    row.refuse_rest()
    return CaseRecord(key, name, says, steps, given, of, act_of, frozenset(filter(None, fields)))


def _act_of(row: TomlRow) -> ActOf:
    known = _ROLES.get(row.text("act_of")) if "act_of" in row.data else None
    if known is None:
        raise row.wrong("act_of", f"state whose act it is: {', '.join(_ROLES)}")
    return known

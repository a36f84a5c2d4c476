"""Acts that a person can key about an irregularity, from the facts that clear it. Pure.

The first choice is what the table waits for. A fact that play itself establishes has no act: then the sheet states what
must happen and who does it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter, ValidationError

from pitwarden_client.events.clearing import STATEMENTS, may_clear
from pitwarden_client.events.inputs import Act
from pitwarden_client.events.outputs import ClearingFact, Irregularity, TableState
from pitwarden_console.people.accounts import Account

# Characters of a written reason at least: shorter ones explain nothing to a later reader.
MIN_WORDS: Final = 10
# Characters of a written reason at most, as the contract allows.
MAX_WORDS: Final = 500


class SheetError(Exception):
    """Fields of a sheet that make no act. Policy: show the sentence; nothing was sent.

    Example: the reason has fewer than ten characters.
    """


@dataclass(frozen=True, slots=True)
class ActChoice:
    """An act on the sheet. `words` names the field that a person writes, `count` whether a number is counted."""

    name: str
    label: str
    fields: Mapping[str, object]
    words: str = ""
    count: str = ""

    @property
    def act(self) -> str:
        """Name of the act in the contract."""
        return str(self.fields["act"])


_ACT: Final[TypeAdapter[Act]] = TypeAdapter(Act)
_BY_KIND: Final[Mapping[str, tuple[tuple[str, Mapping[str, object], str, str], ...]]] = {
    "ten_destroyed": (("The 10 is destroyed", {"act": "ft.ten_destroyed"}, "", ""),),
    "notified": (("The supervisor is notified", {"act": "ft.notified"}, "", ""),),
    "visible_told": (
        ("A player can see the card", {"act": "ft.reader_visible", "visible": True}, "", ""),
        ("No player can see the card", {"act": "ft.reader_visible", "visible": False}, "", ""),
    ),
    "inspected": (
        ("The {subject} passed inspection", {"act": "ft.inspect", "device": "{subject}", "ok": True}, "", ""),
    ),
    "verified": (("Deck {subject} is verified", {"act": "ft.deck_verified", "deck": "{subject}"}, "", ""),),
    "counted": (("Deck {subject} is counted", {"act": "ft.deck_verified", "deck": "{subject}"}, "", "count"),),
    "returned": (("Deck {subject} left the table", {"act": "ft.deck_returned", "deck": "{subject}"}, "", ""),),
    "opened": (("Deck {subject} is opened", {"act": "ft.deck_opened", "deck": "{subject}"}, "", ""),),
    "opening": (
        ("Deck {subject} passed its opening", {"act": "ft.opening", "deck": "{subject}"}, "", "tens_removed"),
    ),
    "card_removed": (("Cards are removed", {"act": "ft.card_removed", "deck": "{deck}"}, "reason", "count"),),
    "removed": (("The {subject} left the table", {"act": "ft.device_removed", "device": "{subject}"}, "", ""),),
    "installed": (("The {subject} is installed", {"act": "ft.device_installed", "device": "{subject}"}, "", ""),),
    "confirmed": (("Confirmed", {"act": "ft.confirmed", "irregularity": "{ref}"}, "", ""),),
    "secured": (("Shoe and shuffler are secured", {"act": "ft.table_open"}, "", ""),),
    "noted": (("Ruled on", {"act": "ft.settle_note", "irregularity": "{ref}"}, "ruling", ""),),
}  # fmt: skip
"""Kind of a fact, and the floor's acts that establish it: label, fields, words, count."""
_SAME: Final = {"inspected_idle": "inspected"}


def choices(case: Irregularity) -> Sequence[ActChoice]:
    """Return the acts that clear `case`, in the order of its steps, each once."""
    made: dict[str, ActChoice] = {}
    for step in case.clears_facts:
        for fact in step:
            for choice in _of_fact(case, fact):
                made.setdefault(choice.name, choice)
    return tuple(made.values())


def further_choices(case: Irregularity) -> Sequence[ActChoice]:
    """Return the acts that do not clear by themselves what the table waits for: acknowledge and refute."""
    ack = ActChoice("ack", "Acknowledge", {"act": "ack", "irregularity": case.ref})
    refute = ActChoice(
        "refute", "Refute: it did not happen", {"act": "refute", "irregularity": case.ref}, words="reason"
    )
    return (ack, refute) if case.status == "open" else (refute,)


def allowed(made: Sequence[ActChoice], account: Account, state: TableState, ref: str) -> Sequence[ActChoice]:
    """Return the choices about the irregularity `ref` that the account may key."""
    role = account.input_role
    about = role is not None and may_clear(state, ref, role, account.person)
    return [choice for choice in made if account.may(choice.act) and (about or choice.act not in STATEMENTS)]


def filled(choice: ActChoice, words: str, count: str) -> Act:
    """Return the act with what a person filled in.

    Raises:
        SheetError: Words or count are missing or not valid.
    """
    fields = dict(choice.fields)
    if choice.words:
        written = " ".join(words.split())
        if not MIN_WORDS <= len(written) <= MAX_WORDS:
            raise SheetError(f"Write {choice.words} with {MIN_WORDS} to {MAX_WORDS} characters.")
        fields[choice.words] = written
    if choice.count:
        if not (count.isascii() and count.isdigit() and len(count) <= 4):  # noqa: PLR2004  9,999 cards
            raise SheetError("Write the number that was counted.")
        fields[choice.count] = int(count)
    try:
        return _ACT.validate_python(fields)
    except ValidationError:
        raise SheetError("The table does not know this act. Key it at the table's terminal.") from None


def _of_fact(case: Irregularity, fact: ClearingFact) -> Iterator[ActChoice]:
    for number, (label, fields, words, count) in enumerate(_BY_KIND.get(_SAME.get(fact.kind, fact.kind), ())):
        names = {"subject": fact.subject, "ref": case.ref, "deck": case.deck}
        needed = {name for name in names for value in (label, *fields.values()) if f"{{{name}}}" in str(value)}
        if any(names[name] is None for name in needed):
            continue
        made = {key: value.format(**names) if isinstance(value, str) else value for key, value in fields.items()}
        yield ActChoice(f"{fact.kind}.{fact.subject or ''}.{number}", label.format(**names), made, words, count)

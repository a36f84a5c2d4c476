"""Input of the checks, and the construction of findings."""

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Final, NamedTuple, TypedDict, cast

from typing_extensions import Unpack

from pitwarden.rules.profile.case_records import ActOf, CaseFields
from pitwarden.rules.profile.declared_reads import UndeclaredReadError
from pitwarden.rules.profile.facts import NOTED, ClearingStep, Fact, fact
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import Finding, RulesState
from pitwarden_client.events.dealer_cards import KpHands, KpStub
from pitwarden_client.events.dealer_irregularities import KpFaceUp
from pitwarden_client.events.dealer_play import KpDealerReveal, KpDecision, KpReveal
from pitwarden_client.events.inputs import Act, InputLogged
from pitwarden_client.events.outputs import Verdict

Rows = Callable[[str], ClauseRule | None]
"""Accessor to rows of the profile by key."""


class CheckContext(NamedTuple):
    """Input of a check: the state before and after a row, the row, and the profile rows that the check declares.

    The fields are computed once for each row of the log, since some twenty checks read them. Accessors are fields too:
    a method of this class would be one more call for each of them.
    """

    before: RulesState
    after: RulesState
    entry: LogEntry
    act: Act | None
    """Input of the row, if it was accepted; None for any other row."""
    said: Callable[[Fact], bool]
    """True for a fact that the row established."""
    drew: bool
    """True when a card or a stack left the shoe."""
    first: bool
    """True when the draw was the first of its round."""
    begins: bool
    """True when the row begins a round: bets closed, or its first card drawn.

    Where cards are dealt from the hand and closed bets are not keyed, the first key of the round.
    """
    rule: Rows
    """Profile row by its key; None when the game has none, or its inputs are not keyed here.

    Raises:
        UndeclaredReadError: The check does not declare the row.
    """
    row: Rows
    """Profile row by its key, also where its inputs are not keyed here; None when the game has none.

    Raises:
        UndeclaredReadError: The check does not declare the row.
    """


# The constructor of a named tuple is a call more, on each row for each check that is due.
make_context: Final[Callable[[tuple[object, ...]], CheckContext]] = partial(tuple.__new__, CheckContext)


class DeclaredRowsOfCheck(dict[str, ClauseRule | None]):
    """Rows that a check declares to read, by key; None for a row that the game or the table has not."""

    def __missing__(self, key: str) -> ClauseRule | None:
        """Refuse a row that is not declared."""
        raise UndeclaredReadError(f"the check does not declare that it reads {key!r}")


_CARD: Final = fact("card")
_SHOWS_A_DEAL: Final = (KpDealerReveal, KpDecision, KpFaceUp, KpHands, KpReveal, KpStub)
_NO_ROWS: Final = DeclaredRowsOfCheck().__getitem__


def observe_row(before: RulesState, after: RulesState, entry: LogEntry) -> CheckContext:
    """Return the input of all checks on a row, without the profile rows that each of them declares."""
    data, now = entry.data, after.now
    act = data.act if type(data) is InputLogged and now.refused is None else None
    return make_context((
        before, after, entry, act, now.facts.__contains__, _CARD in now.facts, now.first,
        _begins(before, after), _NO_ROWS, _NO_ROWS,
    ))  # fmt: skip


def _begins(before: RulesState, after: RulesState) -> bool:
    old, played, setup = before.round, after.round, after.setup
    if after.now.first or (played.windows.bets_closed and not old.windows.bets_closed):
        return True
    by_hand = after.table.mode == "hand" and not any(setup.keyed((act,)) for act in setup.profile.start)
    return by_hand and played.open and not old.open


def is_dealt_by_hand(seen: CheckContext) -> bool:
    """Return whether the row is the first key of a round from the hand that shows a deal."""
    if seen.after.table.mode != "hand" or not isinstance(seen.act, _SHOWS_A_DEAL):
        return False
    old = seen.before.round
    return seen.after.round.open and not (old.play.decided or old.keyed_after_deal or old.void)


def round_key(seen: CheckContext, rule: ClauseRule, case: str) -> str:
    """Return the key of a breach of this round: the same in another round is another breach."""
    return f"{rule.key}:{case}:{seen.after.round.number}"


class FindingDetails(TypedDict, total=False):
    """Optional fields of a `Finding`."""

    deck: str | None
    device: str | None
    box: int | None

    awaits: tuple[ClearingStep, ...]
    evidence: tuple[int, ...]
    sensor: bool
    grace: bool
    cancels: tuple[Fact, ...]
    rests_on: tuple[str, ...]
    once: bool
    blast: bool
    doubts: str
    basis: str
    actor: str
    verdicts: tuple[Verdict, ...]
    key: str
    act_of: ActOf


class CaseDetails(FindingDetails, CaseFields, total=False):
    """Optional fields of a finding, and the values of the fields of its sentence."""


def make_finding(rule: ClauseRule, case: str, sentence: str, **details: Unpack[FindingDetails]) -> Finding:
    """Return a finding under `rule` with the verdict words of `case`.

    Its key consists of the row, the case, and the deck, device and box that it concerns.
    """
    deck, device, box = details.get("deck"), details.get("device"), details.get("box")
    usual: FindingDetails = {
        "key": f"{rule.key}:{case}:{deck or ''}:{device or ''}:{box or ''}",
        "verdicts": rule.verdicts(case),
        "basis": rule.basis,
        "actor": rule.actor,
        "awaits": NOTED,
    }
    return Finding(clause=rule.clause, cites=rule.cites, sentence=sentence, **(usual | details))


_OF_FINDING: Final = frozenset(field.name for field in fields(Finding))


def find_case(rule: ClauseRule, case: str, **details: Unpack[CaseDetails]) -> Finding:
    """Return a finding of `case`, with sentence and clearing conditions of its record.

    Its key consists of the row, the case whose identity it has, and the deck, device and box that it concerns.

    Args:
        rule: Row of the profile.
        case: Name of the record; its verdicts are those of the case that it is `of`.
        details: Fields of the finding, and the values of the fields of its sentence.
    """
    own = {name: value for name, value in details.items() if name in _OF_FINDING}
    record, values = rule.worded(case, details)
    usual = {"awaits": record.clearing(values), "act_of": record.act_of}
    return make_finding(rule, record.of, record.sentence(values), **cast("FindingDetails", usual | own))

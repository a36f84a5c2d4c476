"""Input of the checks, and the construction of findings."""

from dataclasses import fields
from typing import Final, NamedTuple, TypedDict, cast

from typing_extensions import Unpack

from pitwarden.rules.profile.case_records import ActOf, CaseFields
from pitwarden.rules.profile.declared_reads import UndeclaredReadError
from pitwarden.rules.profile.facts import NOTED, ClearingStep, Fact, fact
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import Finding, RulesState
from pitwarden_client.events.dealer_play import KpDecision
from pitwarden_client.events.inputs import Act, InputLogged
from pitwarden_client.events.outputs import Verdict


class CheckContext(NamedTuple):
    """Input of a check: the state before and after a row, the row, and the keys of the profile rows it declares."""

    before: RulesState
    after: RulesState
    entry: LogEntry
    rows: frozenset[str] = frozenset()

    def rule(self, key: str) -> ClauseRule | None:
        """Return the profile row called `key`; None when the game has none, or its inputs are not keyed here.

        Raises:
            UndeclaredReadError: The check does not declare the row.
        """
        self._check(key)
        return self.after.setup.monitored.get(key)

    def row(self, key: str) -> ClauseRule | None:
        """Return the profile row called `key`, also where its inputs are not keyed here; None when the game has none.

        Raises:
            UndeclaredReadError: The check does not declare the row.
        """
        self._check(key)
        return self.after.setup.profile.rule(key)

    def _check(self, key: str) -> None:
        if key not in self.rows:
            raise UndeclaredReadError(f"the check does not declare that it reads {key!r}")

    def said(self, fact: Fact) -> bool:
        """Return whether the row established `fact`."""
        return fact in self.after.now.facts

    @property
    def act(self) -> Act | None:
        """Input of the row, if it was accepted; None for any other row."""
        data = self.entry.data
        return data.act if isinstance(data, InputLogged) and self.after.now.refused is None else None

    @property
    def drew(self) -> bool:
        """True when a card or a stack left the shoe."""
        return fact("card") in self.after.now.facts

    @property
    def first(self) -> bool:
        """True when the draw was the first of its round."""
        return self.after.now.first

    @property
    def dealt_by_hand(self) -> bool:
        """True for the first decision of a round that is dealt from the hand: it shows that there was a deal."""
        before = self.before.round
        first = isinstance(self.act, KpDecision) and not (before.decided or before.over)
        return first and self.after.table.mode == "hand"

    @property
    def begins(self) -> bool:
        """True when the row begins a round: bets closed, or its first card drawn.

        Where cards are dealt from the hand and closed bets are not keyed, the first key of the round.
        """
        before, after = self.before.round, self.after.round
        closed = after.bets_closed and not before.bets_closed
        setup = self.after.setup
        by_hand = self.after.table.mode == "hand" and not any(setup.keyed((act,)) for act in setup.profile.start)
        return closed or self.first or (by_hand and after.open and not before.open)


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
    record = rule.record(case)
    values = rule.values(case, details)
    own = {name: value for name, value in details.items() if name in _OF_FINDING}
    usual = {"awaits": record.clearing(values), "act_of": record.act_of}
    return make_finding(rule, record.of, record.sentence(values), **cast("FindingDetails", usual | own))

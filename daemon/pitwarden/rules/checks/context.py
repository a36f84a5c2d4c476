"""How checks see a row, and how they word what they find."""

from typing import NamedTuple, TypedDict

from typing_extensions import Unpack

from pitwarden.rules.profile.facts import NOTED, ClearingStep, Fact, fact
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import Finding, RulesState
from pitwarden_client.events.inputs import Act, InputLogged
from pitwarden_client.events.outputs import Verdict


class CheckContext(NamedTuple):
    """What a check looks at: the state before the row and after it, and the row itself."""

    before: RulesState
    after: RulesState
    entry: LogEntry

    def rule(self, key: str) -> ClauseRule | None:
        """The profile's rule, None when the game has none or what it needs is not keyed here."""
        return self.after.setup.monitored.get(key)

    def said(self, fact: Fact) -> bool:
        """Return whether the row established `fact`."""
        return fact in self.after.now.facts

    @property
    def act(self) -> Act | None:
        """The input that the row is and that was not refused, None for any other row."""
        data = self.entry.data
        return data.act if isinstance(data, InputLogged) and self.after.now.refused is None else None

    @property
    def drew(self) -> bool:
        """Whether a card or a stack left the shoe."""
        return fact("card") in self.after.now.facts

    @property
    def first(self) -> bool:
        """Whether the draw was the first of its round."""
        return self.after.now.first

    @property
    def begins(self) -> bool:
        """Whether the row begins a round: bets closed, or its first card drawn.

        Where cards are dealt from the hand and closed bets are not keyed, the first key of the round.
        """
        before, after = self.before.round, self.after.round
        closed = after.bets_closed and not before.bets_closed
        setup = self.after.setup
        by_hand = self.after.table.mode == "hand" and not any(setup.keyed((act,)) for act in setup.profile.start)
        return closed or self.first or (by_hand and after.open and not before.open)


class FindingDetails(TypedDict, total=False):
    """What a finding may say beside its clause; see `Finding`."""

    awaits: tuple[ClearingStep, ...]
    deck: str | None
    device: str | None
    box: int | None
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


def make_finding(rule: ClauseRule, case: str, sentence: str, **details: Unpack[FindingDetails]) -> Finding:
    """A finding under `rule` with the verdict words of `case`; its key is the clause and what it is about."""
    deck, device, box = details.get("deck"), details.get("device"), details.get("box")
    usual: FindingDetails = {
        "key": f"{rule.key}:{case}:{deck or ''}:{device or ''}:{box or ''}",
        "verdicts": rule.verdicts(case),
        "basis": rule.basis,
        "actor": rule.actor,
        "awaits": NOTED,
    }
    return Finding(clause=rule.clause, cites=rule.cites, sentence=sentence, **(usual | details))

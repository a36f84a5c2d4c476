"""Frame of a kit of obligations: what is played, its result, the report line, and the verdict over all of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

C = TypeVar("C")
Outcome = Literal["kept", "BROKEN", "not played"]


@dataclass(frozen=True, slots=True)
class Obligation(Generic[C]):
    """Obligation of what a kit examines: its name, the sentence of the report, and the check that plays it."""

    name: str
    """Name in the report; a clause of a specification where there is one."""
    sentence: str
    check: C

    def finding(self, outcome: Outcome, words: str = "") -> "ObligationFinding":
        """Return the result of this obligation; `words` is the reason when it is not kept."""
        return ObligationFinding(self.name, self.sentence, outcome, words)


@dataclass(frozen=True, slots=True)
class ObligationFinding:
    """Result of one obligation; `words` is the reason when it is not kept."""

    name: str
    sentence: str
    outcome: Outcome
    words: str = ""

    def line(self, width: int) -> str:
        """Return the finding as one line, with `width` columns for the name."""
        return f"{self.outcome:10}  {self.name:{width}}  {self.words or self.sentence}"


def print_verdict(examined: str, findings: Iterable[ObligationFinding]) -> int:
    """Print how many obligations were kept, broken and not played; return the exit code: 1 when one is broken."""
    outcomes = [one.outcome for one in findings]
    kept, broken = outcomes.count("kept"), outcomes.count("BROKEN")
    unplayed = len(outcomes) - kept - broken
    print(f"{examined}: {kept} kept, {broken} broken, {unplayed} not played")  # noqa: T201  a command talks to a person
    return 1 if broken else 0

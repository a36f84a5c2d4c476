"""A round as lines of a scenario, with the outcomes that the texts give it, and the comparison with the core."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pitwarden.scenario import parse_scenario, play_scenario
from pitwarden_client.events.outputs import Irregularity, Outcomes, WagerOutcome

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
ENDING: Final = frozenset({"VOID", "DEAD"})


class TextOutcome(NamedTuple):
    """Outcome of a wager as a text has it."""

    result: str
    pays: str = ""
    """Odds in the words of the text; empty for a wager that is not paid."""
    stake: int | None = None
    """Amount in cents where it was keyed."""

    @property
    def wins(self) -> int | None:
        """Amount that is won, in cents: whole cents, where the odds are a ratio."""
        odds = self.pays.split(" to ")
        if self.stake is None or len(odds) != 2 or self.result != "win":  # noqa: PLR2004  a ratio
            return None
        return self.stake * int(odds[0]) // int(odds[1])


@dataclass(slots=True)
class PlayedRound:
    """One round. `silent`: wagers of a hand on which the texts of our sources do not decide."""

    lines: list[str] = field(default_factory=list)
    outcomes: dict[tuple[str, str], TextOutcome] = field(default_factory=dict)
    silent: set[tuple[str, str]] = field(default_factory=set)

    def key(self, *lines: str) -> None:
        """Append lines."""
        self.lines += lines

    def wagered(self, hand: str, wager: str, result: str, pays: str = "", stake: int | None = None) -> None:
        """Add the outcome of a wager; what is not won is not paid."""
        self.outcomes[hand, wager] = TextOutcome(result, pays if result == "win" else "", stake)


class CoreDifference(NamedTuple):
    """Wager on which the text and the core differ."""

    hand: str
    wager: str
    text: str
    core: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.hand} {self.wager}: text {self.text}, core {self.core}\n    " + "\n    ".join(self.lines)


class TableComparison(NamedTuple):
    """Comparison of one table's rounds."""

    rounds: int
    wagers: int
    results: frozenset[tuple[str, str, str]]
    """Every wager with its result and what it paid."""
    differences: tuple[CoreDifference, ...]


def compare_table(header: Sequence[str], rounds: Sequence[PlayedRound]) -> TableComparison:
    """Return the comparison of all wagers of the rounds of one table, played in their order after an opening."""
    text = "\n".join((*header, "---", "open", *(line for one in rounds for line in one.lines)))
    judged = play_scenario(parse_scenario(text + "\n", "outcomes")).judged
    outputs = [[output for step in line.steps for output in step.outputs] for line in judged[1:]]
    found, seen, wagers, at = list[CoreDifference](), set[tuple[str, str, str]](), 0, 0
    for one in rounds:
        lines, at = outputs[at : at + len(one.lines)], at + len(one.lines)
        flat = [output for line in lines for output in line]
        void = [output for output in flat if isinstance(output, Irregularity) and ENDING & {*output.verdicts}]
        announced = [said for output in flat if isinstance(output, Outcomes) for said in output.wagers]
        found += [CoreDifference("round", "void", "played", said.sentence, tuple(one.lines)) for said in void[:1]]
        found += _differences(one, {(said.hand, said.wager): said for said in announced})
        wagers += len(one.outcomes)
        seen |= {(wager, made.result, made.pays) for (_, wager), made in one.outcomes.items()}
    return TableComparison(len(rounds), wagers, frozenset(seen), tuple(found))


def _differences(one: PlayedRound, core: dict[tuple[str, str], WagerOutcome]) -> Iterator[CoreDifference]:
    for key in sorted({*one.outcomes, *core} - one.silent):
        text, said = one.outcomes.get(key), core.get(key)
        theirs = None if said is None else (said.result, said.pays, said.stake, said.wins)
        ours = None if text is None else (*text, text.wins)
        if ours != theirs:
            yield CoreDifference(*key, _words(ours), _words(theirs), tuple(one.lines))


def _words(made: tuple[str, str, int | None, int | None] | None) -> str:
    return "none" if made is None else " ".join(str(part) for part in made if part not in {None, ""})

"""Complete oracle: a table and its lines in, the findings expected on each line out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pitwarden_tools.oracle.blackjack import Blackjack
from pitwarden_tools.oracle.blitz import Blitz
from pitwarden_tools.oracle.dice import Dice
from pitwarden_tools.oracle.said import ExpectedFinding, Said, Setup, TextSilentError

Judge = Blitz | Blackjack | Dice


def judge(setup: Setup) -> Judge:
    """Return a judge of the table's game."""
    match setup.game:
        case "CB":
            return Blitz(setup)
        case "CR":
            return Dice(setup)
        case _:
            return Blackjack(setup)


@dataclass(frozen=True, slots=True)
class Judged:
    """Line judged by the texts: the part of the round before it, its word, and the findings expected."""

    phase: str
    word: str
    found: list[ExpectedFinding]


def judged(setup: Setup, lines: Iterable[str]) -> Iterator[Judged]:
    """Yield each of `lines` as the texts judge it, as long as they decide it."""
    table = judge(setup)
    for line in lines:
        said, phase = Said.of(line), phase_of(table)
        try:
            yield Judged(phase, said.word, table.advance(said))
        except TextSilentError:
            return


def phase_of(table: Judge) -> str:
    """Return the part of the round in which a table is."""
    match table:
        case Dice():
            return table.phase
        case Blitz():
            return f"{table.table.setup.mode}: {table.table.round.phase}"
        case Blackjack():
            return "void" if table.round.void else table.round.phase


def opinions(setup: Setup, lines: Iterable[str]) -> Iterator[list[ExpectedFinding]]:
    """Yield the findings expected on each of `lines`, as long as the texts decide them."""
    return (one.found for one in judged(setup, lines))

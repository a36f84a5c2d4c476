"""Short words for honest play: `open`, `deal`, `round`, `shuffle`. Each stands for whole lines, shown by `--expand`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from pitwarden.scenario.arguments import Args, When, whole
from pitwarden.scenario.errors import ScenarioError, unknown
from pitwarden.scenario.macro_base import House, open_table, reshuffle
from pitwarden.scenario.macro_blackjack import blackjack_deal, blackjack_round
from pitwarden.scenario.macro_stacks import blitz_deal, blitz_round
from pitwarden.scenario.parser import Line, Scenario, split_event
from pitwarden.scenario.vocabulary import WORDS

MAX_TIMES: Final = 400


@dataclass(frozen=True, slots=True)
class Step:
    """One event to play; a macro's steps all belong to the line of the macro."""

    line: Line
    when: When
    word: str
    args: tuple[str, ...]

    @property
    def text(self) -> str:
        """The step as it could stand in a file."""
        quoted = (f'"{arg}"' if " " in arg else arg for arg in self.args)
        return " ".join((self.word, *quoted))


Macro = Callable[[House, Args], Iterator[str]]


def _round(house: House, args: Args) -> Iterator[str]:
    return blitz_round(house, args) if house.profile.in_stacks else blackjack_round(house, args)


def _deal(house: House, args: Args) -> Iterator[str]:
    return blitz_deal(house, args) if house.profile.in_stacks else blackjack_deal(house, args)


MACROS: Final[dict[str, Macro]] = {"open": open_table, "deal": _deal, "round": _round, "shuffle": reshuffle}


def expand(scenario: Scenario) -> Iterator[Step]:
    """Every line of `scenario` as steps; ScenarioError, with file and line, for a word that nobody knows."""
    house = House(scenario.header)
    for line in scenario.lines:
        try:
            yield from _steps(line, house)
        except ScenarioError as error:
            raise error.at(scenario.file, line.number) from None


def _steps(line: Line, house: House) -> Iterator[Step]:
    if line.word not in MACROS:
        if line.word not in WORDS:
            raise unknown(line.word, "event", {*WORDS, *MACROS})
        house.saw(line.word, line.args)
        yield Step(line, line.when, line.word, line.args)
        return
    args = Args.of(line.args)
    times = args.named.pop("times", "1")
    when = line.when
    for _ in range(whole(times, "times", 1, MAX_TIMES)):
        for text in MACROS[line.word](house, args):
            word, tokens = split_event(text)
            house.saw(word, tokens)
            yield Step(line, when, word, tokens)
            when = When()

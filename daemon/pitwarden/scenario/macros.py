"""Macros for honest play: `open`, `deal`, `round`, `shuffle`, `stand`, `shoe`.

Each expands to complete lines, which `--expand` prints.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from pitwarden.scenario.arguments import Arguments, LineTime, parse_int
from pitwarden.scenario.errors import ScenarioError
from pitwarden.scenario.macro_base import MacroState, open_table, reshuffle
from pitwarden.scenario.macro_blackjack import blackjack_deal, blackjack_round
from pitwarden.scenario.macro_continue import all_stand, small_shoe
from pitwarden.scenario.macro_stacks import blitz_deal, blitz_round
from pitwarden.scenario.parser import Scenario, ScenarioLine, split_event
from pitwarden.scenario.vocabulary import WORDS, unknown_event_error

MAX_TIMES: Final = 400


@dataclass(frozen=True, slots=True)
class MacroStep:
    """One event to play. All steps of a macro belong to the macro's line."""

    line: ScenarioLine
    when: LineTime
    word: str
    args: tuple[str, ...]

    @property
    def text(self) -> str:
        """Step as a line of a scenario file."""
        quoted = (f'"{arg}"' if " " in arg else arg for arg in self.args)
        return " ".join((self.word, *quoted))


Macro = Callable[[MacroState, Arguments], Iterator[str]]


def _round(house: MacroState, args: Arguments) -> Iterator[str]:
    return blitz_round(house, args) if house.profile.in_stacks else blackjack_round(house, args)


def _deal(house: MacroState, args: Arguments) -> Iterator[str]:
    return blitz_deal(house, args) if house.profile.in_stacks else blackjack_deal(house, args)


MACROS: Final[dict[str, Macro]] = {
    "open": open_table,
    "deal": _deal,
    "round": _round,
    "shuffle": reshuffle,
    "stand": all_stand,
    "shoe": small_shoe,
}


def expand(scenario: Scenario) -> Iterator[MacroStep]:
    """Yield every line of `scenario` as steps.

    Raises:
        ScenarioError: A word is unknown; the error has file and line.
    """
    house = MacroState(scenario.header)
    for line in scenario.lines:
        try:
            yield from _steps(line, house)
        except ScenarioError as error:
            raise error.at(scenario.file, line.number) from None


def _steps(line: ScenarioLine, house: MacroState) -> Iterator[MacroStep]:
    if line.word not in MACROS:
        if line.word not in WORDS:
            raise unknown_event_error(line.word, {*WORDS, *MACROS})
        house.follow(line.word, line.args)
        yield MacroStep(line, line.when, line.word, line.args)
        return
    args = Arguments.of(line.args)
    times = args.named.pop("times", "1")
    when = line.when
    for _ in range(parse_int(times, "times", 1, MAX_TIMES)):
        for text in MACROS[line.word](house, args):
            word, tokens = split_event(text)
            house.follow(word, tokens)
            yield MacroStep(line, when, word, tokens)
            when = LineTime()

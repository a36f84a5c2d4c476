"""A scenario played against the rules core: each line with what the judge said on it, and where the two disagree."""

from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import ClockTick

from pitwarden.rules import State, initial, public_state, step
from pitwarden.rules.setup.validation import unfit_by
from pitwarden.rules.state.entry import Entry, RuleOutput
from pitwarden.scenario.args import Args, Made
from pitwarden.scenario.compare import compare
from pitwarden.scenario.errors import ScenarioError
from pitwarden.scenario.events import build
from pitwarden.scenario.expect import Expectation
from pitwarden.scenario.lines import Line, Scenario
from pitwarden.scenario.macros import Step, expand
from pitwarden.scenario.paper import EPOCH, Paper
from pitwarden.scenario.table import table_setup
from pitwarden.scenario.table_words import DAY_WORD, STEP_WORD, step_ms
from pitwarden.scenario.times import DAY_MS, MINUTE_MS, PACE_MS, ticks

MIDNIGHT_MS: Final = 1_767_571_200_000  # 2026-01-05 00:00 UTC, a Monday like any other


@dataclass(frozen=True, slots=True)
class Told:
    """One step, when it was logged, and what the judge said of it and of the ticks after it."""

    step: Step
    at_ms: int
    outputs: tuple[RuleOutput, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """One written line: what was said, what was expected in vain, and what came unexpected."""

    line: Line
    told: tuple[Told, ...]
    missing: tuple[Expectation, ...]
    unexpected: tuple[RuleOutput, ...]
    problem: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the judge said what the file says."""
        return not (self.missing or self.unexpected or self.problem)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A whole scenario, played; a line that could not be played is the last."""

    scenario: Scenario
    judged: tuple[Judged, ...]

    @property
    def agrees(self) -> bool:
        """Whether all lines agree; a file that expects nothing anywhere only asks, and always agrees."""
        asks = not any(line.expected for line in self.scenario.lines) and not self.scenario.header.covers
        return asks or all(line.agrees for line in self.judged)


class _Player:
    """The state of the judge and the clock while a scenario runs."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.state: State = initial(table_setup(scenario.header, scenario.file))
        self.log = Paper()
        self.now = self.last = scenario.header.start_minute * MINUTE_MS - PACE_MS
        self.base = self.now
        self.utc_shift = 0

    def play(self, one: Step) -> Told:
        """One step, and what the judge says of it at once."""
        at = self.time_of(one)
        made = build(one.word, one.args, self.log)
        if one.word == STEP_WORD:
            self.utc_shift += step_ms(Args.of(one.args))
        outputs = self._say(made, at)
        if isinstance(made.data, InputLogged):
            self.log.inputs.append((self.log.number, one.word, made.data))
        self.last = at
        return Told(one, at, outputs)

    def tick_until(self, until: int) -> tuple[RuleOutput, ...]:
        """What the judge says of the ticks before `until`."""
        said: tuple[RuleOutput, ...] = ()
        for at in ticks(self.last, until):
            said += self._say(Made("field", ClockTick()), at)
        return said

    def time_of(self, one: Step) -> int:
        """When `one` is due, in milliseconds from midnight of the first day."""
        if one.word == DAY_WORD:
            start = self.scenario.header.day_start_minute * MINUTE_MS
            return self.now + (start - self.now - 1) % DAY_MS + 1
        return one.when.resolve(self.now, self.last)

    def _say(self, made: Made, at: int) -> tuple[RuleOutput, ...]:
        self.log.number += 1
        self.now = at
        entry = Entry(
            epoch=EPOCH,
            number=self.log.number,
            log_ms=at - self.base,
            utc_ms=MIDNIGHT_MS + at + self.utc_shift,
            source=made.source,
            data=made.data,
            faces=made.faces,
            bit=made.bit,
        )
        self.state, outputs = step(self.state, entry)
        self.log.heard(outputs)
        return outputs


def proofread(scenario: Scenario) -> tuple[Step, ...]:
    """All steps of `scenario`, each known to be an event; ScenarioError, with file and line, otherwise."""
    log = Paper(lenient=True)
    steps = tuple(expand(scenario))
    for one in steps:
        try:
            build(one.word, one.args, log)
            if one.word == STEP_WORD:
                step_ms(Args.of(one.args))
        except ScenarioError as error:
            raise error.at(scenario.file, one.line.number) from None
    return steps


def play(scenario: Scenario) -> Outcome:
    """`scenario` played to its end; ScenarioError when the file is none."""
    steps = proofread(scenario)
    player = _Player(scenario)
    judged: list[Judged] = []
    groups = [(line, list(group)) for line, group in groupby(steps, key=lambda one: one.line)]
    for index, (line, group) in enumerate(groups):
        following = groups[index + 1][1][0] if index + 1 < len(groups) else None
        judged.append(_play_line(player, line, group, following))
        if judged[-1].problem:
            break
    return Outcome(scenario, tuple(judged))


def _play_line(player: _Player, line: Line, group: list[Step], following: Step | None) -> Judged:
    told: list[Told] = []
    problem = ""
    try:
        for index, one in enumerate(group):
            heard = player.play(one)
            after = group[index + 1] if index + 1 < len(group) else following
            until = player.time_of(after) if after else player.last + PACE_MS
            told.append(Told(heard.step, heard.at_ms, heard.outputs + player.tick_until(until)))
    except ScenarioError as error:
        problem = error.reason
    said = tuple(output for one in told for output in one.outputs)
    strict = player.scenario.header.strict_reveals
    granted = public_state(player.state).permit.granted
    unfit = (
        unfit_by(player.state.setup) if any(wanted.kind == "unfit" for wanted in line.expected) else frozenset[str]()
    )
    missing, unexpected = compare(line.expected, said, granted=granted, strict_reveals=strict, unfit=unfit)
    return Judged(line, tuple(told), missing, unexpected, problem)

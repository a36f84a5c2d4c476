"""Player of a scenario against the rules core, with the growing log to which `ack`, `refute` and `retract` refer.

The result holds each line with the judge's outputs, and the differences from the expected ones.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from pitwarden.rules import RulesState, initial_state, public_state, step
from pitwarden.rules.profile.game_lists import load_lists
from pitwarden.rules.setup.validation import setup_problems, violated_clauses
from pitwarden.rules.state.entry import LogEntry, RuleOutput
from pitwarden.scenario.arguments import DAY_MS, MINUTE_MS, PACE_MS, Arguments, BuiltEvent, tick_times
from pitwarden.scenario.errors import ScenarioError
from pitwarden.scenario.expectations import Expectation
from pitwarden.scenario.header import scenario_table_setup
from pitwarden.scenario.header_values import KINDS
from pitwarden.scenario.macros import MacroStep, expand
from pitwarden.scenario.matcher import compare_outputs
from pitwarden.scenario.parser import Scenario, ScenarioLine
from pitwarden.scenario.vocabulary import DAY_WORD, STEP_WORD, build_event, step_ms
from pitwarden_client.events.base import Position
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Irregularity
from pitwarden_client.events.table import ClockTick

EPOCH: Final = "scenario"

RowListener = Callable[[LogEntry, RulesState, tuple[RuleOutput, ...]], None]


@dataclass(slots=True)
class ScenarioLog:
    """Rows and irregularities so far. A lenient log, for proofreading, resolves every reference."""

    number: int = 0
    refs: dict[str, Irregularity] = field(default_factory=dict)
    inputs: list[tuple[int, str, InputLogged]] = field(default_factory=list)
    lenient: bool = False

    def ref(self, catalogue: str) -> str:
        """Return the ref of the open, else the last, irregularity with the number `catalogue`.

        Raises:
            ScenarioError: There is none.
        """
        named = [one for one in self.refs.values() if one.catalogue == catalogue]
        live = [one.ref for one in named if one.status in {"open", "acknowledged"}]
        if named or self.lenient:
            return live[-1] if live else named[-1].ref if named else "any"
        names = ", ".join(sorted({one.catalogue for one in self.refs.values()})) or "none"
        raise ScenarioError(f"no {catalogue} was found before this line (found: {names})")

    def input_number(self, word: str) -> int:
        """Return the log number of the last input keyed with `word`.

        Raises:
            ScenarioError: There is none.
        """
        found = [number for number, said, logged in self.inputs if word in {said, logged.act.act}]
        if found or self.lenient:
            return found[-1] if found else 1
        raise ScenarioError(f"nobody has keyed {word} before this line")

    def author(self, number: int) -> tuple[str, str]:
        """Return the role and the person of the input at log number `number`."""
        return next(((one.role, one.person) for at, _, one in self.inputs if at == number), ("dealer", "dealer-1"))

    def position(self) -> Position | None:
        """Return the last row; None before the first."""
        return Position(epoch=EPOCH, number=self.number) if self.number else None

    def record(self, outputs: tuple[RuleOutput, ...]) -> None:
        """Record the irregularities among `outputs`."""
        for output in outputs:
            if isinstance(output, Irregularity):
                self.refs[output.ref] = output


MIDNIGHT_MS: Final = 1_767_571_200_000  # 2026-01-05 00:00 UTC, a Monday like any other


@dataclass(frozen=True, slots=True)
class StepResult:
    """One step, its time in ms from midnight, and the outputs for it and for the ticks after it."""

    step: MacroStep
    at_ms: int
    outputs: tuple[RuleOutput, ...]


@dataclass(frozen=True, slots=True)
class LineResult:
    """Result of one line: its steps, the expectations without an output, and the outputs without an expectation."""

    line: ScenarioLine
    steps: tuple[StepResult, ...]
    missing: tuple[Expectation, ...]
    unexpected: tuple[RuleOutput, ...]
    problem: str = ""

    @property
    def agrees(self) -> bool:
        """True if the outputs are those that the file expects."""
        return not (self.missing or self.unexpected or self.problem)


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """Result of a played scenario. A line that could not be played is the last one, and never agrees."""

    scenario: Scenario
    judged: tuple[LineResult, ...]

    @property
    def agrees(self) -> bool:
        """True if all lines were played and agree. A file without any expectation is a question, and agrees."""
        if any(line.problem for line in self.judged):
            return False
        return self.asks or all(line.agrees for line in self.judged)

    @property
    def asks(self) -> bool:
        """True if the file expects nothing: it is a question, and what the judge publishes is the answer."""
        return not any(line.expected for line in self.scenario.lines) and not self.scenario.header.covers


class _Player:
    """Player of one scenario: state of the judge, log, and clock."""

    def __init__(self, scenario: Scenario, listener: RowListener | None) -> None:
        self.scenario = scenario
        self.listener = listener
        self.state: RulesState = initial_state(scenario_table_setup(scenario.header, scenario.file))
        self.log = ScenarioLog()
        self.now = self.last = scenario.header.start_minute * MINUTE_MS - PACE_MS
        self.base = self.now
        self.utc_shift = 0

    def play(self, one: MacroStep) -> StepResult:
        """Play one step, and return it with its immediate outputs."""
        at = self.time_of(one)
        made = build_event(one.word, one.args, self.log)
        if one.word == STEP_WORD:
            self.utc_shift += step_ms(Arguments.of(one.args))
        outputs = self._evaluate(made, at)
        if isinstance(made.data, InputLogged):
            self.log.inputs.append((self.log.number, one.word, made.data))
        self.last = at
        return StepResult(one, at, outputs)

    def tick_until(self, until: int) -> tuple[RuleOutput, ...]:
        """Return the outputs for the clock ticks before `until`."""
        said: tuple[RuleOutput, ...] = ()
        for at in tick_times(self.last, until):
            said += self._evaluate(BuiltEvent("field", ClockTick()), at)
        return said

    def time_of(self, one: MacroStep) -> int:
        """Return the time of `one` in ms from midnight of the first day."""
        if one.word == DAY_WORD:
            start = self.scenario.header.day_start_minute * MINUTE_MS
            return self.now + (start - self.now - 1) % DAY_MS + 1
        return one.when.resolve(self.now, self.last)

    def _evaluate(self, made: BuiltEvent, at: int) -> tuple[RuleOutput, ...]:
        self.log.number += 1
        self.now = at
        entry = LogEntry(
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
        self.log.record(outputs)
        if self.listener is not None:
            self.listener(entry, self.state, outputs)
        return outputs


def proofread(scenario: Scenario) -> tuple[MacroStep, ...]:
    """Return all steps of `scenario` after building the event of each.

    Raises:
        ScenarioError: A step is not an event; the error has file and line.
    """
    log = ScenarioLog(lenient=True)
    steps = tuple(expand(scenario))
    for one in steps:
        try:
            made = build_event(one.word, one.args, log)
            _check_source(scenario, made, one)
            if one.word == STEP_WORD:
                step_ms(Arguments.of(one.args))
        except ScenarioError as error:
            raise error.at(scenario.file, one.line.number) from None
    return steps


def _check_source(scenario: Scenario, made: BuiltEvent, one: MacroStep) -> None:
    """Check that the device of an event is at the table.

    Raises:
        ScenarioError: The header has no such device; the sentence has the line to write there.
    """
    kind = made.source.rstrip("0123456789")
    if kind not in KINDS or any(device.ident == made.source for device in scenario.header.devices):
        return
    idents = ", ".join([*(device.ident for device in scenario.header.devices), made.source])
    raise ScenarioError(
        f"{one.word}: the table of this file has no {made.source}; write in the header: `devices: {idents}`"
    )


def play_scenario(scenario: Scenario, listener: RowListener | None = None) -> ScenarioResult:
    """Play `scenario` to its end.

    Args:
        scenario: The parsed file.
        listener: Called after each row, ticks of the clock included, with the row, the state after it and the outputs.

    Raises:
        ScenarioError: The file is not a valid scenario.
    """
    # The complete file first: an officer who misspelled the last line should not wait for a night of rounds to be
    # played.
    steps = proofread(scenario)
    _check_setup(scenario)
    player = _Player(scenario, listener)
    judged: list[LineResult] = []
    groups = [(line, list(group)) for line, group in groupby(steps, key=lambda one: one.line)]
    for index, (line, group) in enumerate(groups):
        following = groups[index + 1][1][0] if index + 1 < len(groups) else None
        judged.append(_play_line(player, line, group, following))
        if judged[-1].problem:
            break
    return ScenarioResult(scenario, tuple(judged))


def _check_setup(scenario: Scenario) -> None:
    """Check that the table of `scenario` would start, but for the clauses that it expects to be violated.

    Raises:
        ScenarioError: It would be refused; the error has each reason.
    """
    if scenario.header.game.folder is not None:
        return  # the table file of a house's own game may amend the lists of games, which a scenario does not have
    expected = {number for line in scenario.lines for one in line.expected if one.kind == "unfit"
                for number in one.catalogue}  # fmt: skip
    found = setup_problems(scenario_table_setup(scenario.header, scenario.file), load_lists())
    reasons = [f"{'.'.join(one.key)}: {one}" for one in found if one.clause not in expected]
    if reasons:
        raise ScenarioError(f"this table would be refused at start: {'; '.join(reasons)}", file=scenario.file)


def _play_line(player: _Player, line: ScenarioLine, group: list[MacroStep], following: MacroStep | None) -> LineResult:
    steps: list[StepResult] = []
    problem = ""
    try:
        for index, one in enumerate(group):
            played = player.play(one)
            after = group[index + 1] if index + 1 < len(group) else following
            until = player.time_of(after) if after else player.last + PACE_MS
            steps.append(StepResult(played.step, played.at_ms, played.outputs + player.tick_until(until)))
    except ScenarioError as error:
        problem = error.reason
    said = tuple(output for one in steps for output in one.outputs)
    strict = player.scenario.header.strict_reveals
    granted = public_state(player.state).permit.granted
    unfit = (
        violated_clauses(player.state.setup)
        if any(wanted.kind == "unfit" for wanted in line.expected)
        else frozenset[str]()
    )
    missing, unexpected = compare_outputs(line.expected, said, granted=granted, strict_reveals=strict, unfit=unfit)
    return LineResult(line, tuple(steps), missing, unexpected, problem)

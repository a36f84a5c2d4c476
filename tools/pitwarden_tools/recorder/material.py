"""Logs to record: all scenarios, and a simulated night of each of five games as it comes over the wire."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden.rules import LogEntry, RuleOutput, RulesState, initial_state, step
from pitwarden.scenario import Scenario, parse_scenario, play_scenario
from pitwarden.scenario.report import files_in
from pitwarden_tools.bench.workloads import Workload

SCENARIOS: Final = Path("tests/scenarios")


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A row of a log, with the state after it and the outputs for it."""

    entry: LogEntry
    state: RulesState
    outputs: tuple[RuleOutput, ...]


def judged_scenarios(folder: Path) -> Iterator[tuple[str, list[JudgedRow]]]:
    """Yield each scenario below `folder` by its path in it, with its judged rows, ticks of the clock included.

    Raises:
        ScenarioError: A file is not a valid scenario.
    """
    for file in files_in(folder):
        scenario = parse_scenario(file.read_text(encoding="utf-8"), file.name)
        yield file.relative_to(folder).as_posix(), _judged(scenario)


def _judged(scenario: Scenario) -> list[JudgedRow]:
    rows: list[JudgedRow] = []

    def heard(entry: LogEntry, state: RulesState, outputs: tuple[RuleOutput, ...]) -> None:
        rows.append(JudgedRow(entry, state, outputs))

    play_scenario(scenario, heard)
    return rows


def judged_night(night: Workload) -> tuple[str, list[JudgedRow]]:
    """Return the name of a simulated night and its judged rows."""
    state, rows = initial_state(night.setup), list[JudgedRow]()
    for entry in night.entries:
        state, said = step(state, entry)
        rows.append(JudgedRow(entry, state, said))
    return f"night of {night.game} at {night.table}", rows

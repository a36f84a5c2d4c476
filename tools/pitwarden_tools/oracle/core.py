"""Rules core, played line by line for the comparison: the one file of the oracle that imports it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from pitwarden.rules import RulesState, initial_state, step
from pitwarden.rules.state.entry import LogEntry, RuleOutput
from pitwarden.scenario.arguments import BuiltEvent
from pitwarden.scenario.header import scenario_table_setup
from pitwarden.scenario.parser import parse_scenario, split_event
from pitwarden.scenario.player import EPOCH, ScenarioLog
from pitwarden.scenario.vocabulary import build_event
from pitwarden_client.events.device import DeviceEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Notice, Outcomes, Refused
from pitwarden_client.events.table import ClockTick, TableEvent
from pitwarden_tools.oracle.said import CHIP, Setup

START_MS: Final = 1_767_607_200_000  # 2026-01-05 10:00 UTC
PACE_MS: Final = 2_000
TICK_MS: Final = 1_000
KEPT: Final = 2_048


@dataclass(frozen=True, slots=True)
class Spoken:
    """New output of the core: catalog number and words. `passing`: a notice. `basis`: of an irregularity.

    `box` 0 and `deck` empty: it names none. `line`: of the sequence, counted from 1, on which it was opened.
    """

    id: str
    words: frozenset[str]
    passing: bool = False
    basis: str = ""
    box: int = 0
    deck: str = ""
    line: int = 0


@dataclass(slots=True)
class JudgingCore:
    """Table judged by the core; `open` are the open irregularities, by their refs."""

    state: RulesState
    open: dict[str, Spoken] = field(default_factory=dict)
    lines: int = 0
    rows: int = 0

    def copy(self) -> "JudgingCore":
        """Return a copy of the table to continue with; states are frozen."""
        return JudgingCore(self.state, dict(self.open), self.lines, self.rows)

    def advance(self, line: str) -> list[Spoken]:
        """Return the outputs on `line`, and on the tick a second later."""
        made = _made(line)
        self.lines += 1
        said = [*self._step(made.source, made.data, self.lines * PACE_MS, made.faces, made.bit)]
        # Without a grace that ends, a tick has no output; skipping those halves the time.
        if self.state.pending:
            said += self._step("field", ClockTick(), self.lines * PACE_MS + TICK_MS, (), None)
        return said

    def _step(
        self,
        source: str,
        data: DeviceEvent | InputLogged | TableEvent,
        at_ms: int,
        faces: tuple[int, ...],
        bit: bool | None,  # noqa: FBT001  as the entry has it
    ) -> Iterator[Spoken]:
        self.rows += 1
        entry = LogEntry(EPOCH, self.rows, at_ms, START_MS + at_ms, source, data, faces, bit)
        self.state, outputs = step(self.state, entry)
        for output in outputs:
            spoken = _spoken(output)
            if isinstance(output, Irregularity):
                self._note(output, spoken)
            if spoken is not None:
                yield spoken

    def _note(self, output: Irregularity, spoken: Spoken | None) -> None:
        if spoken is not None:
            self.open[output.ref] = replace(spoken, line=self.lines)
        elif output.status != "acknowledged":
            self.open.pop(output.ref, None)


@lru_cache(maxsize=4_096)
def _made(line: str) -> BuiltEvent:
    """Return the event of `line`; the nights' lines name no other one."""
    return build_event(*split_event(line), ScenarioLog())


def _spoken(output: RuleOutput) -> Spoken | None:
    match output:
        case Irregularity(status="open"):
            return Spoken(
                output.catalogue, frozenset(output.verdicts), basis=output.basis, box=output.box or 0,
                deck=output.deck or "",
            )  # fmt: skip
        case Notice():
            return Spoken(output.catalogue, frozenset(output.verdicts), passing=True)
        case Duty(duty="stub_count") | Duty(catalogue="SH-08"):
            return Spoken(output.catalogue, frozenset({output.status}))
        case Refused():
            return Spoken(output.catalogue, frozenset({"refused"}))
        case Outcomes() if all(one.hand.startswith("spot") for one in output.wagers):
            return Spoken("outcome", frozenset(f"{one.hand} {one.wager} {one.result}" for one in output.wagers))
        case CheckFailed():
            return Spoken(output.check, frozenset({"check.failed"}))
        case _:
            return None


def header(setup: Setup) -> str:
    """Return the head of the scenario file for `setup`."""
    if setup.game == "CR":
        return "title: a sequence on which the oracle and the judge differ\ngame: CR\n---\n"
    devices = {"auto_shoe": ["shoe auto"], "hand": []}.get(setup.mode, ["shoe"])
    if setup.shuffler:
        devices.append(f"shuffler counts={'yes' if setup.counts else 'no'}")
    if setup.reader:
        devices.append(f"reader visible={'yes' if setup.visible else 'no'}")
    rows = [
        "title: a sequence on which the oracle and the judge differ",
        f"game: {setup.game}",
        f"devices: {', '.join(devices)}",
        f"decks: {', '.join(' '.join(deck) for deck in setup.decks)}",
        f"mode: {setup.mode}",
    ]
    if setup.in_set:
        rows.append(f"in_set: {setup.in_set}")
    options = [*(["bart_carter=true"] if setup.bart_carter else []), *_switches(setup)]
    if options:
        rows.append(f"options: {', '.join(options)}")
    if setup.positions:
        rows.append(f"positions: {setup.positions}")
    if setup.keyed is not None:
        rows.append(f"inputs: {' '.join(sorted(setup.keyed))}")
    return "\n".join(rows) + "\n---\n"


def _switches(setup: Setup) -> list[str]:
    """Return the house's switches that differ from the usual ones."""
    unit = [] if setup.insurance_unit == CHIP else [f"insurance_unit={setup.insurance_unit}"]
    return [*unit, *(["early_window=alert"] if setup.early_window else [])]


class Cores:
    """Cache of opened tables, so that an opening is judged once."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Setup, tuple[str, ...]], JudgingCore] = {}
        self._tables: dict[Setup, RulesState] = {}

    def opened(self, setup: Setup, opening: tuple[str, ...]) -> JudgingCore:
        """Return a copy of the core after `opening`."""
        found = self._kept.get((setup, opening))
        if found is None:
            found = JudgingCore(self._new(setup))
            for line in opening:
                found.advance(line)
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[setup, opening] = found
        return found.copy()

    def _new(self, setup: Setup) -> RulesState:
        """Return the state before the first line of a table.

        The profile is read once for all that differ in their keys.

        The digest that it names is that of the table which keys all; the comparison ignores it.
        """
        base = replace(setup, keyed=None)
        if base not in self._tables:
            self._tables[base] = initial_state(
                scenario_table_setup(parse_scenario(header(base), "oracle").header, "oracle")
            )
        state = self._tables[base]
        return replace(state, setup=replace(state.setup, inputs=setup.keyed or "all"))

"""Night in memory with the rules core as its judge: rows become entries, outputs are stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from pitwarden.rules import LogEntry, RuleOutput, RulesState, initial_state, step
from pitwarden.rules.engine.permit import deal_permit
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Notice, Refused
from pitwarden_drivers.tdp import DRIVER
from pitwarden_simulators.faults.fault import Fault
from pitwarden_simulators.faults.verdict_log import VerdictLog
from pitwarden_simulators.in_memory.rows import EPOCH, InMemoryRow
from pitwarden_simulators.in_memory.runner import Judge, PureRunner, nobody
from pitwarden_simulators.table.actions import TableDisplay
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import SimulatedTableSetup
from pitwarden_simulators.table.table import SimulatedTable
from pitwarden_simulators.table.table_builder import build
from pitwarden_tools.simulation.table_rules import rules_setup
from testkit.nights.shoes import Shoes


class InMemoryJudge:
    """Judge of single rows; `outputs` has each output with the row that caused it."""

    def __init__(self, setup: SimulatedTableSetup) -> None:
        self.state: RulesState = initial_state(rules_setup(setup))
        self.outputs: list[tuple[InMemoryRow, RuleOutput]] = []
        self.book = VerdictLog()

    def __call__(self, row: InMemoryRow) -> TableDisplay:
        entry = LogEntry(EPOCH, row.number, row.log_ms, row.utc_ms, row.source, row.data, faces=row.faces, bit=row.bit)
        self.state, said = step(self.state, entry)
        for output in said:
            self.outputs.append((row, output))
            if isinstance(output, Irregularity | Notice):
                self.book.record(output, self.state.round.number)
        shown = deal_permit(self.state)
        return TableDisplay(shown.granted, shown.reasons, tuple(case.said for case in self.state.cases if case.live))

    def complaints(self) -> list[str]:
        """Return outputs that honest play must not give: irregularities, refusals, failed checks, overdue duties."""
        return [
            f"row {row.number}: {output}"
            for row, output in self.outputs
            if isinstance(output, Irregularity | Refused)
            or (isinstance(output, Duty) and output.status == "overdue")
            or isinstance(output, CheckFailed)
        ]


EVENING = 1_772_474_400_000  # 18:00 UTC: no gaming day begins within a night of 12 hours


@dataclass(frozen=True)
class InMemoryNight:
    rows: tuple[InMemoryRow, ...]
    table: SimulatedTable


def play(
    setup: SimulatedTableSetup,
    seed: str,
    rounds: int,
    faults: Sequence[Fault] = (),
    *,
    judge: Judge = nobody,
    shoes: Shoes | None = None,
    boot: int = 1,
    keypad: bool = False,
) -> InMemoryNight:
    rows: list[InMemoryRow] = []

    def heard(row: InMemoryRow) -> TableDisplay:
        rows.append(row)
        return judge(row)

    built = build(
        setup, seed, boot=boot, heartbeat_ms=10_000, arrange=None if shoes is None else shoes.arrange, keypad=keypad
    )
    if shoes is not None:
        shoes.seat(built.table)
    night = TableNight(built.table, rounds, faults)
    PureRunner(built.devices, DRIVER, heard, start_ms=EVENING).play(night.script())
    if shoes is not None:
        shoes.finish()
    return InMemoryNight(tuple(rows), built.table)

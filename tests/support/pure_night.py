"""Plays a pure night and keeps its rows, for the simulators' tests."""

from collections.abc import Sequence
from dataclasses import dataclass

from pitwarden_drivers.tdp import DRIVER
from pitwarden_simulators.faults.fault import Fault
from pitwarden_simulators.pure.rows import LogRow
from pitwarden_simulators.pure.runner import Judge, PureRunner, nobody
from pitwarden_simulators.table.actions import Desk
from pitwarden_simulators.table.build import build
from pitwarden_simulators.table.night import Night
from pitwarden_simulators.table.setup import TableSetup
from pitwarden_simulators.table.table import Table
from shoes import Shoes

EVENING = 1_772_474_400_000  # 18:00 UTC: no gaming day begins within a night of 12 hours


@dataclass(frozen=True)
class Played:
    rows: tuple[LogRow, ...]
    table: Table


def play(
    setup: TableSetup,
    seed: str,
    rounds: int,
    faults: Sequence[Fault] = (),
    *,
    judge: Judge = nobody,
    shoes: Shoes | None = None,
    boot: int = 1,
    keypad: bool = False,
) -> Played:
    rows: list[LogRow] = []

    def heard(row: LogRow) -> Desk:
        rows.append(row)
        return judge(row)

    built = build(
        setup, seed, boot=boot, heartbeat_ms=10_000, arrange=None if shoes is None else shoes.arrange, keypad=keypad
    )
    if shoes is not None:
        shoes.seat(built.table)
    night = Night(built.table, rounds, faults)
    PureRunner(built.devices, DRIVER, heard, start_ms=EVENING).play(night.script())
    if shoes is not None:
        shoes.finish()
    return Played(tuple(rows), built.table)

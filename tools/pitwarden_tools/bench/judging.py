"""Stages of the judge over nights of five games, and over 1,000 tables: events per second of its processor time."""

from collections.abc import Callable, Iterable, Sequence
from resource import RUSAGE_SELF, getrusage
from typing import Final

from pitwarden.rules import LogEntry, RulesState, TableSetup, initial_state, step
from pitwarden_client.events.codec import decode, digest, encode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_tools.bench.profiled import Costs, costs
from pitwarden_tools.bench.workloads import ROWS, Workload

TABLES: Final = (10, 100, 1_000)
OPENING: Final = 40  # rows of a table that opens, before its first round
LOOKS: Final = 50  # samples of the stack, for each round

Run = Callable[[], object]


def measured(nights: Sequence[Workload], rounds: int) -> dict[str, list[float]]:
    """Return the rows per second of this process's own processor time, stage by stage in turn, `rounds` times."""
    rows = ROWS * len(nights)
    runs: dict[str, tuple[Run, int]] = {name: (run, rows) for name, run in _stages(nights).items()}
    runs |= {f"decode+step, {one.game}": (_judged([one]), ROWS) for one in nights}
    runs |= {f"decode+step, {count} tables": _spread_over(nights[0], count) for count in TABLES}
    for run, _ in runs.values():
        run()
    figures: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, (run, count) in runs.items():
            figures[name].append(_rate(run, count))
    return figures


def where(nights: Sequence[Workload], rounds: int) -> Costs:
    """Return where decoding and judging of the nights spends its time."""
    return costs(_judged(nights), LOOKS * rounds)


def _stages(nights: Sequence[Workload]) -> dict[str, Run]:
    """Return the measured stages by name; each processes all rows of each night."""

    def decoding() -> Sequence[LogEvent]:
        return [decode(LogEvent, payload) for one in nights for payload in one.payloads]

    def stepping() -> Sequence[RulesState]:
        return [_folded(one.setup, one.entries) for one in nights]

    def opened() -> Sequence[RulesState]:
        return [_opened(one) for one in nights]

    def hashing() -> list[str]:
        return [digest(payload) for one in nights for payload in one.payloads]

    def writing() -> list[bytes]:
        return [encode(event) for event in events]

    events = decoding()
    return {
        "decode": decoding, "step": stepping, "decode+step": _judged(nights), "decode+unseal+step": opened,
        "encode": writing, "digest": hashing,
    }  # fmt: skip


def _judged(nights: Sequence[Workload]) -> Run:
    """Decode and judge each row."""

    def run() -> Sequence[RulesState]:
        states = list[RulesState]()
        for one in nights:
            state = initial_state(one.setup)
            for payload, entry in zip(one.payloads, one.entries, strict=True):
                decode(LogEvent, payload)
                state, _ = step(state, entry)
            states.append(state)
        return states

    return run


def _spread_over(one: Workload, tables: int) -> tuple[Run, int]:
    """Return a run that deals rows in turn to a number of tables, each from its state; and the rows in one run."""
    opened = _folded(one.setup, one.entries[:OPENING])
    each = max(1, ROWS // tables)
    states, at = [opened] * tables, [OPENING]

    def run() -> None:
        first = at[0] if at[0] + each <= ROWS else OPENING
        at[0] = first + each
        rows = list(zip(one.payloads[first : at[0]], one.entries[first : at[0]], strict=True))
        for number in range(tables):
            state = opened if first == OPENING else states[number]
            for payload, entry in rows:
                decode(LogEvent, payload)
                state, _ = step(state, entry)
            states[number] = state

    return run, each * tables


def _rate(run: Run, rows: int) -> float:
    before = _cpu_s()
    run()
    return rows / (_cpu_s() - before)


def _folded(setup: TableSetup, entries: Iterable[LogEntry]) -> RulesState:
    state = initial_state(setup)
    for entry in entries:
        state, _ = step(state, entry)
    return state


def _opened(one: Workload) -> RulesState:
    unsealer = one.unsealer()
    return _folded(one.setup, (unsealer.entry(decode(LogEvent, payload)) for payload in one.payloads))


def _cpu_s() -> float:
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime

"""Tool `simulate`: nights on simulated time under faults at every edge; and whether deliberate bugs are found."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from pitwarden_tools.simulation.files import FilesUnavailableError, SimulatedFiles
from pitwarden_tools.simulation.kinds import KINDS
from pitwarden_tools.simulation.mutants import MUTANTS, time_to_find
from pitwarden_tools.simulation.night import FaultyNightPlan, FaultyNightResult, play_simulated
from pitwarden_tools.simulation.schedule import PER_NIGHT, simulated_nights

NOT_DONE: Final = 2
_SHOWN: Final = 5
_CHUNK: Final = 4
"""Nights that a process takes at a time."""


class SimulationCommand:
    """Tool that plays a simulation."""

    name = "simulate"
    help = "play nights on simulated time, with faults at messages, writes, clocks and processes by seed; then compare"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--faults", type=int, default=1_000, help="how many faults are scheduled (default 1000)")
        parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same nights (default 1)")
        parser.add_argument("--night", type=int, default=0, metavar="N", help="play the N-th night of that seed alone")
        parser.add_argument("--kinds", default="all", metavar="all|NAME,...", help="kinds of faults, by name")
        parser.add_argument("--list", action="store_true", help="list the kinds and the deliberate bugs, and end")
        parser.add_argument("--processes", type=int, default=2, help="processes that play at the same time (default 2)")
        parser.add_argument("--mutants", action="store_true", help="plant each deliberate bug, and time its discovery")
        parser.add_argument("--mutant", default="", metavar="NAME", help="plant this deliberate bug alone")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when nothing was wrong, 1 when something was, 2 for a refused request."""
        if args.list:
            for name, what in [*((k.name, k.what) for k in KINDS), *((m.name, m.what) for m in MUTANTS)]:
                print(f"{name:24}{what}")  # noqa: T201  the command's answer
            return 0
        refusal = _refusal(args)
        if refusal:
            print(f"simulate: {refusal}", file=sys.stderr)  # noqa: T201  a command talks to a person
            return NOT_DONE
        if args.mutants or args.mutant:
            return _mutants(args)
        chosen = [kind for kind in KINDS if args.kinds == "all" or kind.name in args.kinds.split(",")]
        plans = [p for p in simulated_nights(args.seed, args.faults, chosen) if args.night in {0, p.number}]
        began = time.monotonic()
        results = list(_played(plans, args.processes))
        for line in summary(results, args.seed, time.monotonic() - began):
            print(line)  # noqa: T201  the command's answer
        return 1 if any(result.wrong for result in results) else 0


def _refusal(args: argparse.Namespace) -> str:
    """Return why the request cannot be done; empty when it can."""
    unknown = set(args.kinds.split(",")) - {kind.name for kind in KINDS} - {"all"}
    if unknown or args.faults < 1 or args.processes < 1:
        return f"no kind is called {', '.join(sorted(unknown))}: see --list" if unknown else "ask for 1 fault or more"
    if args.mutant and args.mutant not in {mutant.name for mutant in MUTANTS}:
        return f"no deliberate bug is called {args.mutant}: see --list"
    try:
        SimulatedFiles()
    except FilesUnavailableError as error:
        return str(error)
    return ""


def _mutants(args: argparse.Namespace) -> int:
    missed = 0
    for mutant in MUTANTS:
        if args.mutant in {"", mutant.name}:
            seconds, nights, found = time_to_find(mutant, args.seed)
            missed += not found
            said = f"found in {seconds:5.1f} s, night {nights}: {found[0][:90]}" if found else "NOT FOUND"
            print(f"{mutant.name:24}{said}", flush=True)  # noqa: T201  the command's answer
    return 1 if missed else 0


def _played(plans: Sequence[FaultyNightPlan], processes: int) -> Iterator[FaultyNightResult]:
    """Play the nights; report those that went wrong as they end."""
    for result in _results(plans, processes):
        if result.wrong:
            print(f"night {result.number}, seed {result.seed}, {result.table}: WRONG", flush=True)  # noqa: T201
            for line in result.wrong[:_SHOWN]:
                print(f"  {line[:300]}", flush=True)  # noqa: T201
        yield result


def _results(plans: Sequence[FaultyNightPlan], processes: int) -> Iterator[FaultyNightResult]:
    if processes == 1 or len(plans) == 1:
        yield from map(play_simulated, plans)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(play_simulated, plans, chunksize=_CHUNK)


def summary(results: Sequence[FaultyNightResult], seed: int, seconds: float) -> list[str]:
    """Return the table of faults and the total."""
    came: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for result in results:
        came.update(result.came)
        pairs.update(result.pairs)
    lines = [f"{kind.name:24}{came[kind.name]:>7}  {kind.what}" for kind in KINDS if came[kind.name]]
    starts, rows, outputs, reveals = (
        sum(getattr(r, name) for r in results) for name in ("starts", "rows", "outputs", "reveals")
    )
    hours = sum(result.seconds for result in results) / 3_600
    lines.append(
        f"seed {seed}: {came.total()} faults of {len(came)} kinds in {len(results)} nights of up to {PER_NIGHT};"
        f" {pairs.total()} pairs at once, {len(pairs)} different; {starts - 2 * len(results)} restarts of a half;"
        f" {rows} rows, {outputs} outputs, {reveals} reveals; {hours:.1f} simulated hours in {seconds:.0f} s"
    )
    wrong = [result for result in results if result.wrong]
    lines.append(
        f"NOT as it must be in {len(wrong)} nights: play one again with the same --seed, --faults and --night"
        f" {wrong[0].number}"
        if wrong
        else "0 events lost, 0 counted twice, 0 verdicts missing, repeated or changed, 0 cards early, every hold ended"
    )
    return lines


COMMAND = SimulationCommand()

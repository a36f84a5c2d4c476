"""Tool `simulate`: nights on simulated time under faults at every edge; and whether deliberate bugs are found."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from pitwarden_tools.simulation.extent import SimulationExtent
from pitwarden_tools.simulation.files import FilesUnavailableError, SimulatedFiles
from pitwarden_tools.simulation.kinds import KINDS
from pitwarden_tools.simulation.mutants import MUTANTS, time_to_find
from pitwarden_tools.simulation.night import FaultyNightPlan, FaultyNightResult, play_simulated
from pitwarden_tools.simulation.schedule import simulated_nights

NOT_DONE: Final = 2
_SHOWN: Final = 5
_REPORTED: Final = 100
"""Nights after which progress is reported."""
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
        parser.add_argument(
            "--proof",
            action="store_true",
            help="end with 1, too, where less came than the proof of a version needs",
        )
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
        extent = _played(plans, args.processes)
        seconds = time.monotonic() - began
        for line in extent.summary(args.seed, seconds):
            print(line)  # noqa: T201  the command's answer
        missing = list(extent.missing(seconds)) if args.proof else []
        for line in missing:
            print(f"NOT a proof: {line}")  # noqa: T201  the command's answer
        return 1 if extent.wrong or missing else 0


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


def _played(plans: Sequence[FaultyNightPlan], processes: int) -> SimulationExtent:
    """Play the nights; report those that went wrong as they end, and now and then how far it is."""
    extent = SimulationExtent()
    for result in _results(plans, processes):
        extent.add(result)
        if extent.nights % _REPORTED == 0:
            done = f"{extent.nights} of {len(plans)} nights, {extent.came.total()} faults, {len(extent.wrong)} wrong"
            print(done, file=sys.stderr, flush=True)  # noqa: T201  a command talks to a person
        if result.wrong:
            print(f"night {result.number}, seed {result.seed}, {result.table}: WRONG", flush=True)  # noqa: T201
            for line in result.wrong[:_SHOWN]:
                print(f"  {line[:300]}", flush=True)  # noqa: T201
    return extent


def _results(plans: Sequence[FaultyNightPlan], processes: int) -> Iterator[FaultyNightResult]:
    if processes == 1 or len(plans) == 1:
        yield from map(play_simulated, plans)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(play_simulated, plans, chunksize=_CHUNK)


COMMAND = SimulationCommand()

"""Tool `bench`: the cost of the service against that of the broker, the disk and the line, as ratios."""

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from pitwarden_simulators.demo.errors import DemoError
from pitwarden_tools.bench import cost, journals, judging, marginal, tables, timeline, verdict
from pitwarden_tools.bench.baselines import PROMISING, PYTHON, Baseline, NoCFloorError, in_c
from pitwarden_tools.bench.machine import machine
from pitwarden_tools.bench.numbers import Spread, ratio, spread
from pitwarden_tools.bench.profiled import Costs
from pitwarden_tools.bench.workloads import nights
from pitwarden_tools.campaign.broker import BrokerError

NOT_DONE: Final = 2
SECTIONS: Final = ("judge", "tables", "journal", "verdict", "timeline", "cost")
PER_ROUND: Final = 5  # verdicts in a round
_AGAINST: Final = {
    "judge": "decode",
    "tables": tables.BASE,
    "journal": "bare SQLite",
    "verdict": "floor",
    "timeline": timeline.WHOLE,
    "cost": "bare Python",
}
_UNIT: Final = {
    "judge": "events/s",
    "tables": "events/s",
    "journal": "rows/s",
    "verdict": "ms",
    "timeline": "ms",
    "cost": "ms of starts",
}

_ALONE: Final = frozenset(
    {"idle millicores", "memory MB", "millicores a table", "kB a table"}
)  # of another unit than their neighbors

Figures = dict[str, list[float]]


class BenchCommand:
    """Tool that measures all sections in turn, so that other load on the machine affects all alike."""

    name = "bench"
    help = "measure judge, journal and byte to verdict against the bare broker, disk and line; ratios with intervals"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)} (default: all)")
        parser.add_argument("--rounds", type=int, default=20, help="of each measurement (default 20)")
        parser.add_argument("--json", action="store_true", help="as JSON")
        parser.add_argument("--mosquitto", default=shutil.which("mosquitto") or "mosquitto", metavar="PROGRAM")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when measured, 2 when not."""
        wanted = args.sections or list(SECTIONS)
        unknown = [name for name in wanted if name not in SECTIONS]
        if unknown or args.rounds < 1:
            print(f"bench: sections are {', '.join(SECTIONS)}; rounds are 1 or more", file=sys.stderr)  # noqa: T201
            return NOT_DONE
        try:
            with tempfile.TemporaryDirectory(prefix="pitwarden-bench-") as place:
                floors = _floors(Path(place) / "c") if "verdict" in wanted else ()
                figures = {name: _measured(name, Path(place) / name, args, floors) for name in wanted}
                profile = judging.where(nights(Path(place) / "profile"), args.rounds) if "judge" in wanted else None
        except (BrokerError, DemoError, ConnectionError) as error:
            print(f"bench: {error}", file=sys.stderr)  # noqa: T201  a command talks to a person
            return NOT_DONE
        if args.json:
            print(_as_json(figures, profile))  # noqa: T201  the command's answer
        else:
            print("\n".join((*_as_table(figures), *(profile.lines() if profile else ()))))  # noqa: T201  likewise
        return 0


def _floors(folder: Path) -> Sequence[Baseline]:
    """Return the bare client, the same with the promises of rows, and where it can be built in C."""
    try:
        return PYTHON, PROMISING, in_c(folder)
    except NoCFloorError as error:
        print(f"bench: no floor in C: {error}", file=sys.stderr)  # noqa: T201  a command talks to a person
        return PYTHON, PROMISING


def _measured(section: str, folder: Path, args: argparse.Namespace, floors: Sequence[Baseline]) -> Figures:
    folder.mkdir()
    if section == "judge":
        return judging.measured(nights(folder), args.rounds)
    if section == "tables":
        return asyncio.run(tables.measured(args.mosquitto, folder, args.rounds))
    if section == "journal":
        return asyncio.run(journals.measured(folder, args.rounds))
    if section == "cost":
        of_starts = asyncio.run(cost.measured(args.mosquitto, folder, args.rounds))
        return of_starts | asyncio.run(marginal.measured(args.mosquitto, folder))
    if section == "timeline":
        seconds = asyncio.run(timeline.measured(args.mosquitto, folder, args.rounds * PER_ROUND))
    else:
        seconds = asyncio.run(verdict.measured(args.mosquitto, folder, args.rounds * PER_ROUND, floors))
    return {name: [1_000 * each for each in taken] for name, taken in seconds.items()}


def _compared(section: str, figures: Figures) -> Mapping[str, tuple[Spread, Spread]]:
    base = figures[_AGAINST[section]]
    return {name: (spread(taken), ratio(taken, base)) for name, taken in figures.items()}


def _as_table(figures: Mapping[str, Figures]) -> Sequence[str]:
    lines = [f"on {machine()}"]
    for section, taken in figures.items():
        lines += [
            "",
            f"{section}: {_UNIT[section]}; ratio to {_AGAINST[section]}, with 95 % interval and 99th percentile",
        ]
        for name, (own, against) in _compared(section, taken).items():
            lines.append(f"  {name:28} {own.median:10.4g} [{own.low:.4g}, {own.high:.4g}] p99 {own.p99:.4g}")
            if name in _ALONE:
                continue
            interval = f"[{against.low:.3g}, {against.high:.3g}] p99 {against.p99:.3g}x"
            lines.append(f"  {'':28} {against.median:9.3g}x {interval}")
    return lines


def _as_json(figures: Mapping[str, Figures], profile: Costs | None) -> str:
    sections = {
        section: {
            name: {"unit": _UNIT[section], **_numbers(own), "ratio": _numbers(against), "against": _AGAINST[section]}
            for name, (own, against) in _compared(section, taken).items()
        }
        for section, taken in figures.items()
    }
    costs = {} if profile is None else {"profile": asdict(profile)}
    return json.dumps({"machine": machine(), **sections, **costs}, indent=1)


def _numbers(one: Spread) -> dict[str, float]:
    return {"median": one.median, "low": one.low, "high": one.high, "p99": one.p99, "count": one.count}


COMMAND = BenchCommand()

"""`pitwarden load`: a pit of simulated tables on one judge process, a row a second each; cost and backlog."""

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pitwarden_simulators.bench.machine import machine
from pitwarden_simulators.bench.pit import Sample, measured
from pitwarden_simulators.campaign.broker import BrokerError
from pitwarden_simulators.demo.faults import DemoError

NOT_DONE: Final = 2
SLACK_S: Final = 3  # rows of so many seconds may be on their way at any time


class LoadCommand:
    """Loads a judge."""

    name = "load"
    help = "one judge process under many simulated tables, a row a second each: processor, memory, backlog"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        parser.add_argument("--tables", default="10,50,100", metavar="N,...", help="one run for each number")
        parser.add_argument("--minutes", type=float, default=1, help="of each run (default 1)")
        parser.add_argument("--json", action="store_true", help="as JSON")
        parser.add_argument("--mosquitto", default=shutil.which("mosquitto") or "mosquitto", metavar="PROGRAM")

    def run(self, args: argparse.Namespace) -> int:
        """0 when the judge kept up in every run, 1 when it fell behind, 2 when nothing could be measured."""
        try:
            numbers = [int(each) for each in args.tables.split(",")]
            with tempfile.TemporaryDirectory(prefix="pitwarden-load-") as place:
                runs = {count: _one(args, Path(place) / str(count), count) for count in numbers}
        except (BrokerError, DemoError, ValueError) as error:
            print(f"load: {error}", file=sys.stderr)  # noqa: T201  a command talks to a person
            return NOT_DONE
        print(_as_json(runs) if args.json else "\n".join(_as_text(runs)))  # noqa: T201  the command's answer
        return 1 if any(fell_behind(count, samples) for count, samples in runs.items()) else 0


def _one(args: argparse.Namespace, folder: Path, count: int) -> list[Sample]:
    folder.mkdir()
    return asyncio.run(measured(args.mosquitto, folder, count, args.minutes * 60))


def fell_behind(tables: int, samples: Sequence[Sample]) -> bool:
    """Whether the backlog is more than what may be on its way, and more at the end than in the middle."""
    end, middle = samples[-1].behind, samples[len(samples) // 2].behind
    return end > SLACK_S * tables and end > middle


def cost(samples: Sequence[Sample]) -> float:
    """Processor seconds per second, from the first sample to the last."""
    return (samples[-1].cpu_s - samples[0].cpu_s) / (samples[-1].at_s - samples[0].at_s)


def fit(runs: dict[int, list[Sample]]) -> tuple[float, float]:
    """The straight line through the costs: of the process, and of each table; least squares."""
    points = [(count, cost(samples)) for count, samples in runs.items()]
    mean_x, mean_y = (sum(each) / len(points) for each in zip(*points, strict=True))
    square = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / square if square else mean_y / mean_x
    return mean_y - slope * mean_x, slope


def _as_text(runs: dict[int, list[Sample]]) -> list[str]:
    lines = [f"on {machine()}", "tables  cores used  per table  kB per table  kB from middle to end  behind at the end"]
    for count, samples in runs.items():
        used, middle, end = cost(samples), samples[len(samples) // 2], samples[-1]
        lines.append(
            f"{count:6}  {used:10.3f}  {used / count:9.5f}  {end.rss_kb / count:12.0f}"
            f"  {end.rss_kb - middle.rss_kb:21}  {end.behind}{' FELL BEHIND' if fell_behind(count, samples) else ''}"
        )
    start, each = fit(runs)
    return [*lines, f"straight line: {start:.3f} cores and {each:.5f} for each table"]


def _as_json(runs: dict[int, list[Sample]]) -> str:
    start, each = fit(runs)
    told = {str(count): [[s.at_s, s.behind, s.cpu_s, s.rss_kb] for s in samples] for count, samples in runs.items()}
    return json.dumps({"machine": machine(), "line": [start, each], "samples": told}, indent=1)


COMMAND = LoadCommand()

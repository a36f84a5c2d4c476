"""Tool `load`: a pit of simulated tables on one judge process, a row a second each; cost and backlog."""

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from pitwarden_simulators.demo.errors import DemoError
from pitwarden_tools.bench.machine import machine
from pitwarden_tools.bench.pit import PitSample, measured
from pitwarden_tools.bench.process import Used
from pitwarden_tools.bench.trend import Trend, trend
from pitwarden_tools.campaign.broker import BrokerError

NOT_DONE: Final = 2
# Seconds of rows that may be in transit at any time.
SLACK_S: Final = 3
# The last of this number of parts: after 450 rows the buffers of a table are full.
FULL: Final = 4
_HEADING: Final = (
    "tables   judge  a table  off the line  broker    load   behind: most  at the end  more a minute   MB  kB a table"
    "  more a minute at the end"
)

Runs = Mapping[int, Sequence[PitSample]]


class LoadCommand:
    """Tool that loads a judge."""

    name = "load"
    help = "one judge process under many simulated tables, a row a second each: processor, memory, backlog"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--tables", default="10,50,100", metavar="N,...", help="one run for each number")
        parser.add_argument("--minutes", type=float, default=1, help="of each run (default 1)")
        parser.add_argument("--json", action="store_true", help="as JSON")
        parser.add_argument("--mosquitto", default=shutil.which("mosquitto") or "mosquitto", metavar="PROGRAM")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when the judge kept up in every run, 1 when its backlog grew, 2 when nothing could be measured."""
        busy = os.getloadavg()[0]
        try:
            numbers = [int(each) for each in args.tables.split(",")]
            with tempfile.TemporaryDirectory(prefix="pitwarden-load-") as place:
                runs = {count: _one(args, Path(place) / str(count), count) for count in numbers}
        except (BrokerError, DemoError, ConnectionError, ValueError) as error:
            print(f"load: {error}", file=sys.stderr)  # noqa: T201  a command talks to a person
            return NOT_DONE
        lines = [f"on {machine()}; load {busy:.1f} before", *as_text(runs)]
        print(_as_json(runs) if args.json else "\n".join(lines))  # noqa: T201  the command's answer
        return 1 if any(fell_behind(count, samples) for count, samples in runs.items()) else 0


def _one(args: argparse.Namespace, folder: Path, count: int) -> list[PitSample]:
    folder.mkdir()
    return asyncio.run(measured(args.mosquitto, folder, count, args.minutes * 60))


def fell_behind(tables: int, samples: Sequence[PitSample]) -> bool:
    """Return whether the backlog exceeds the rows in transit, and grew from the middle of the run to its end."""
    end, middle = samples[-1].behind, samples[len(samples) // 2].behind
    return end > SLACK_S * tables and end > middle


def cost(first: Used, last: Used, seconds: float) -> float:
    """Return processor seconds per second."""
    return (last.cpu_s - first.cpu_s) / seconds


def growth(samples: Sequence[PitSample]) -> Trend:
    """Return the trend of resident kB a minute in the last part of a run."""
    last = samples[-(len(samples) // FULL + 1) :]
    return trend([(each.at_s / 60, each.judge.rss_kb) for each in last])


def backlog(samples: Sequence[PitSample]) -> Trend:
    """Return the trend of rows not stored, per minute."""
    return trend([(each.at_s / 60, each.behind) for each in samples])


def fit(runs: Runs) -> Trend:
    """Return the straight line through the costs: of the process, and of each table."""
    return trend([(count, _judge_cost(samples)) for count, samples in runs.items()])


def as_text(runs: Runs) -> list[str]:
    """Return the table of all runs and the line through them."""
    line = fit(runs)
    rows = [_row(count, samples, line) for count, samples in runs.items()]
    told = (
        f"straight line: {line.start:.3f} cores and {line.slope:.5f} [{line.low:.5f}, {line.high:.5f}] for each table"
    )
    return ["in cores:", _HEADING, *rows, told]


def _row(count: int, samples: Sequence[PitSample], line: Trend) -> str:
    first, last = samples[0], samples[-1]
    seconds, judge, memory = last.at_s - first.at_s, _judge_cost(samples), last.judge.rss_kb
    others = (cost(one, other, seconds) for one, other in ((first.broker, last.broker), (first.load, last.load)))
    return (
        f"{count:6} {judge:7.3f} {judge / count:8.5f} {judge / line.at(count) - 1:+13.1%}"
        f" {''.join(f'{each:8.3f}' for each in others)} {max(each.behind for each in samples):14} {last.behind:11}"
        f"  {_slope(backlog(samples)):14} {memory / 1_000:5.0f} {memory / count:11.0f}"
        f"  {_slope(growth(samples), count)}{' FELL BEHIND' if fell_behind(count, samples) else ''}"
    )


def _slope(found: Trend, count: int = 1) -> str:
    return f"{found.slope / count:+.2g} [{found.low / count:+.2g}, {found.high / count:+.2g}]"


def _judge_cost(samples: Sequence[PitSample]) -> float:
    return cost(samples[0].judge, samples[-1].judge, samples[-1].at_s - samples[0].at_s)


def _as_json(runs: Runs) -> str:
    told = {str(count): [asdict(each) for each in samples] for count, samples in runs.items()}
    return json.dumps({"machine": machine(), "line": asdict(fit(runs)), "samples": told}, indent=1)


COMMAND = LoadCommand()

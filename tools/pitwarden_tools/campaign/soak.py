"""Tool `soak`: many rounds at full speed in one service process, and the curve of its resources."""

import argparse
import asyncio
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import TABLES
from pitwarden_tools.campaign.broker import Broker, BrokerError
from pitwarden_tools.campaign.processes import PARTS_TOGETHER
from pitwarden_tools.campaign.retrying_terminals import PATIENCE_S, RetryingTerminal
from pitwarden_tools.campaign.rig import Rig, rig
from pitwarden_tools.campaign.stored import audited, read
from pitwarden_tools.campaign.verdict import wrongs

ROUNDS_AN_HOUR: Final = 60  # of a full blackjack table
NOT_DONE: Final = 2
_GROWN: Final = 1.10
_BAR: Final = 50


@dataclass(frozen=True, slots=True)
class SoakSample:
    """Process after a number of rounds: resident memory in kB, open files, threads, rows of the log."""

    round: int
    rss_kb: int
    files: int
    threads: int
    rows: int


class SoakCommand:
    """Tool that plays for a long time."""

    name = "soak"
    help = "play hours of rounds at full speed in one process, and show its memory, files and threads on the way"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--hours", type=float, default=10, help="of play at 60 rounds an hour (default 10)")
        parser.add_argument("--table", choices=sorted(TABLES), default="tab-shielded")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--mosquitto", default=shutil.which("mosquitto") or "mosquitto", metavar="PROGRAM")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when the second half of the curve is flat and all verdicts are right, 1 when not, 2 not played."""
        try:
            samples, wrong = asyncio.run(_play(args))
        except BrokerError as error:
            print(f"soak: {error}", file=sys.stderr)  # noqa: T201  a command talks to a person
            return NOT_DONE
        for line in [*curve(samples), *wrong, *grown(samples)]:
            print(line)  # noqa: T201  the command's answer
        return 1 if wrong or grown(samples) else 0


async def _play(args: argparse.Namespace) -> tuple[list[SoakSample], list[str]]:
    rounds = max(1, round(args.hours * ROUNDS_AN_HOUR))
    samples: list[SoakSample] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="pitwarden-soak-") as place:
        folder = Path(place)
        with Broker(args.mosquitto, folder / "broker") as broker:
            async with rig(TABLES[args.table], f"soak/{args.seed}", broker, folder, PARTS_TOGETHER) as table:
                try:
                    await _rounds(table, rounds, samples)
                except DemoError as error:
                    wrong.append(str(error))
                await table.processes.stop("both")
                wrong += [
                    *table.processes.wrong,
                    *wrongs(table, read(table.folder / "journals")),
                    *await audited(table),
                ]
    return samples, wrong


async def _rounds(table: Rig, rounds: int, samples: list[SoakSample]) -> None:
    every = max(1, rounds // 40)

    async def look(_action: int) -> None:
        done = table.built.table.round
        if done % every == 0 and (not samples or samples[-1].round != done):
            samples.append(_sample(table, done))
            print(f"round {done}: {samples[-1].rss_kb} kB", file=sys.stderr, flush=True)  # noqa: T201  progress

    await table.until(lambda: table.state is not None, PATIENCE_S, "the judge's first state")
    people = RetryingTerminal(table, look)
    await people.play(TableNight(table.built.table, rounds).script())
    await people.settle()


def _sample(table: Rig, done: int) -> SoakSample:
    process = Path(f"/proc/{table.processes.pid('both')}")
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    end = table.view.end()
    return SoakSample(
        done, int(status["VmRSS"].split()[0]), len(list((process / "fd").iterdir())), int(status["Threads"]),
        0 if end is None else end.place,
    )  # fmt: skip


def curve(samples: list[SoakSample]) -> list[str]:
    """Return the curve as lines."""
    most = max((sample.rss_kb for sample in samples), default=1)
    lines = ["round    rows      kB  files  threads"]
    for sample in samples:
        bar = "#" * round(_BAR * sample.rss_kb / most)
        lines.append(f"{sample.round:5} {sample.rows:7} {sample.rss_kb:7} {sample.files:6} {sample.threads:8}  {bar}")
    return lines


def grown(samples: list[SoakSample]) -> list[str]:
    """Return what grew from the middle of the curve to its end: memory by more than a tenth, the others at all."""
    if len(samples) < 4:  # noqa: PLR2004  no curve yet
        return []
    middle, end = samples[len(samples) // 2], samples[-1]
    said = []
    if end.rss_kb > _GROWN * middle.rss_kb:
        said.append(f"memory grew from {middle.rss_kb} to {end.rss_kb} kB")
    if end.files > middle.files:
        said.append(f"open files grew from {middle.files} to {end.files}")
    if end.threads > middle.threads:
        said.append(f"threads grew from {middle.threads} to {end.threads}")
    return said


COMMAND = SoakCommand()

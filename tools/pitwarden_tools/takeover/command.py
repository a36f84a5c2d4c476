"""Tool `takeover`: judges of a group under faults, with a real broker and a real PostgreSQL."""

import argparse
import asyncio
import json
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeVar

from pitwarden_tools.bench.machine import machine
from pitwarden_tools.bench.numbers import quantile
from pitwarden_tools.campaign.broker import BrokerError
from pitwarden_tools.takeover.calm import GROUP, SQLITE, CalmResult, measure
from pitwarden_tools.takeover.capacity import COUNTS, CapacityResult, measure_capacity
from pitwarden_tools.takeover.errors import TakeoverError
from pitwarden_tools.takeover.experiment import TakeoverResult, play
from pitwarden_tools.takeover.mutants import MUTANTS
from pitwarden_tools.takeover.plan import KINDS, MANY, TakeoverPlan

NOT_DONE = 2


class TakeoverCommand:
    """Tool that proves the takeover."""

    name = "takeover"
    help = (
        "judges of a group under kills, pauses, partitions, failovers, lost brokers: lost and doubled verdicts, times"
    )

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--judges", type=int, default=3)
        parser.add_argument("--tables", type=int, default=50)
        parser.add_argument("--minutes", type=float, default=30)
        parser.add_argument("--rate", type=float, default=1.0, help="rows a second of each table (default 1)")
        parser.add_argument("--lease", type=int, default=3, help="seconds (default 3)")
        parser.add_argument("--faults", default=",".join(KINDS), metavar="KIND,...")
        parser.add_argument("--brokers", type=int, choices=(1, 2), default=2, help="2: behind a bridge (default)")
        parser.add_argument("--synchronous", action="store_true", help="each commit waits for the standby")
        parser.add_argument("--mutant", choices=tuple(MUTANTS), default="", help="plant a bug, which must be found")
        parser.add_argument("--calm", action="store_true", help="without faults: the latency, and that with SQLite")
        parser.add_argument(
            "--capacity", type=float, metavar="SHARE",
            help="what one judge and two carry, each held to this share of a core; as root",
        )  # fmt: skip
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--json", action="store_true", help="as JSON")
        parser.add_argument("--folder", type=Path, help="keep configuration and logs in this new folder")
        parser.add_argument("--mosquitto", default=shutil.which("mosquitto") or "mosquitto", metavar="PROGRAM")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when nothing was lost, doubled or out of order; 1 when something was, 2 when it cannot be made."""
        kinds = tuple(args.faults.split(","))
        if not set(kinds) <= set(KINDS):
            print(f"takeover: the faults are {', '.join(KINDS)}", file=sys.stderr)  # noqa: T201  a command talks
            return NOT_DONE
        if args.brokers == 1:
            kinds = tuple(kind for kind in kinds if kind not in MANY)
        plan = TakeoverPlan(
            args.seed, args.judges, args.tables, args.rate, args.minutes * 60, args.lease, kinds, args.brokers,
            args.synchronous, args.mutant,
        )  # fmt: skip
        try:
            if args.capacity:
                carried = _in_folder(partial(measure_capacity, plan, args.capacity, args.mosquitto), args.folder)
                print("\n".join([f"on {machine()}", *capacity_text(carried)]))  # noqa: T201  the command's answer
                return 0
            if args.calm:
                calm = _in_folder(partial(measure, plan, args.mosquitto), args.folder)
                print("\n".join([f"on {machine()}", *calm_text(calm)]))  # noqa: T201  the command's answer
                return 0
            result = _in_folder(partial(play, plan, args.mosquitto), args.folder)
        except (TakeoverError, BrokerError) as error:
            print(f"takeover: {error}", file=sys.stderr)  # noqa: T201  as above
            return NOT_DONE
        shown = json.dumps(asdict(result)) if args.json else "\n".join([f"on {machine()}", *as_text(result)])
        print(shown)  # noqa: T201  the command's answer
        return 1 if result.proof.differences else 0


T = TypeVar("T")


def _in_folder(work: Callable[[Path], Coroutine[object, object, T]], folder: Path | None) -> T:
    if folder is not None:
        folder.mkdir(parents=True)
        folder.chmod(0o755)  # the database's account passes through
        return asyncio.run(_ended_in_order(work(folder)))
    with tempfile.TemporaryDirectory(prefix="pitwarden-takeover-") as place:
        Path(place).chmod(0o755)
        return asyncio.run(_ended_in_order(work(Path(place))))


async def _ended_in_order(work: Coroutine[object, object, T]) -> T:
    """Return what `work` returns; SIGTERM and SIGINT end its servers too, which would else outlive the tool."""
    doing = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, doing.cancel)
    try:
        return await doing
    except asyncio.CancelledError:
        if _is_interrupted():
            raise
        raise TakeoverError("ended by SIGTERM") from None


def _is_interrupted() -> bool:
    """Return whether Ctrl-C cancelled this task: `asyncio.run` then raises KeyboardInterrupt."""
    task = asyncio.current_task()
    return task is not None and bool(task.cancelling())


def capacity_text(result: CapacityResult) -> list[str]:
    """Return what was carried by each number of judges, and the ratio."""
    lines = [
        f"{count} judge{'s' if count > 1 else ''}: {', '.join(f'{each:.0f}' for each in found)} rows a second"
        for count, found in result.rows_s.items()
    ]
    one, two = (median(result.rows_s[count]) for count in COUNTS)
    return [*lines, f"ratio of the medians: {two / one:.2f}"]


def calm_text(result: CalmResult) -> list[str]:
    """Return the latencies of both stores, and their ratio."""
    lines = [
        f"{store:10} n={len(found):6}  row to stored position p50 {quantile(sorted(found), 0.5) * 1_000:.1f} ms,"
        f" p99 {quantile(sorted(found), 0.99) * 1_000:.1f} ms"
        for store, found in result.stored_s.items()
    ]
    ratio = quantile(sorted(result.stored_s[GROUP]), 0.5) / quantile(sorted(result.stored_s[SQLITE]), 0.5)
    return [*lines, f"ratio of the medians: {ratio:.2f}"]


def as_text(result: TakeoverResult) -> list[str]:
    """Return the result as lines."""
    proof = result.proof
    lines = [
        (
            f"{proof.rows} rows, {proof.verdicts} verdicts, {proof.published} publications, of which {proof.replayed}"
            f" when requested, {sum(result.faults.values())} faults, {proof.terms} terms with rows"
        ),
        (
            f"row to stored position: p50 {quantile(sorted(result.stored_s), 0.5) * 1_000:.0f} ms,"
            f" p99 {quantile(sorted(result.stored_s), 0.99):.2f} s"
        ),
    ]
    lines += [
        f"after {kind:9} {result.faults[kind]:3} times, n={len(found):4}  p50 {quantile(sorted(found), 0.5):.2f}"
        f"  p99 {quantile(sorted(found), 0.99):.2f} s"
        for kind, found in sorted(result.takeovers.items())
    ]
    differences = ", ".join(f"{count} {kind}" for kind, count in proof.differences.items())
    return [*lines, f"differences: {differences or 'none'}"]


COMMAND = TakeoverCommand()

"""Tool `campaign`: nights under faults by seed, and whether anything was lost, doubled, missed or disclosed."""

import argparse
import asyncio
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pitwarden_tools.campaign.broker import BrokerError
from pitwarden_tools.campaign.disk import why_not
from pitwarden_tools.campaign.night import NightResult, play_night
from pitwarden_tools.campaign.schedule import KINDS, PER_NIGHT, NightPlan, counted, nights, playable

NOT_DONE: Final = 2


class CampaignCommand:
    """Tool that plays a campaign."""

    name = "campaign"
    help = "play nights while processes, broker, network, lines, disks and messages go wrong by seed; then compare"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--faults", type=int, default=50, help="how many faults in all (default 50)")
        parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same faults (default 1)")
        parser.add_argument("--night", type=int, default=0, metavar="N", help="play the N-th night of that seed alone")
        parser.add_argument(
            "--from-night", type=int, default=1, metavar="N", help="begin with the N-th night of that seed"
        )
        parser.add_argument("--kinds", default="all", metavar="all|NAME,...", help="kinds of faults, by name")
        parser.add_argument("--list", action="store_true", help="list the kinds and end")
        parser.add_argument("--mosquitto", default=shutil.which("mosquitto") or "mosquitto", metavar="PROGRAM")
        parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the folders of nights that went wrong here")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when nothing was wrong, 1 when something was, 2 for a refused request."""
        if args.list:
            for kind in KINDS:
                missing = "" if playable([kind]) else f" (not here: {why_not()})"
                print(f"{kind.name:22}{kind.what}{missing}")  # noqa: T201  the command's answer
            return 0
        chosen = playable([kind for kind in KINDS if args.kinds == "all" or kind.name in args.kinds.split(",")])
        if not chosen or args.faults < 1:
            print("campaign: no fault is chosen: see --list, and --faults must be 1 or more", file=sys.stderr)  # noqa: T201
            return NOT_DONE
        plans = list(nights(args.seed, args.faults, chosen, args.from_night))
        if args.night:
            plans = [plan for plan in plans if plan.number == args.night]
        try:
            results = asyncio.run(_play(plans, args))
        except BrokerError as error:
            print(f"campaign: {error}", file=sys.stderr)  # noqa: T201  a command talks to a person
            return NOT_DONE
        for line in closing(results, args.seed):
            print(line)  # noqa: T201  the command's answer
        return 1 if any(result.wrong for result in results) else 0


async def _play(plans: Sequence[NightPlan], args: argparse.Namespace) -> list[NightResult]:
    results = []
    with tempfile.TemporaryDirectory(prefix="pitwarden-campaign-") as place:
        for plan in plans:
            folder = Path(place) / f"night-{plan.number}"
            result = await play_night(plan, args.mosquitto, folder)
            results.append(result)
            for line in _lines(result):
                print(line, flush=True)  # noqa: T201  progress of something that takes long
            if result.wrong and args.keep:
                args.keep.mkdir(parents=True, exist_ok=True)
                shutil.copytree(folder, args.keep / f"seed-{args.seed}-{folder.name}", dirs_exist_ok=True)
            shutil.rmtree(folder)
    return results


def _lines(result: NightResult) -> list[str]:
    plan = result.plan
    halves = "two processes" if plan.apart else "one process"
    head = (
        f"night {plan.number}, seed {plan.seed}, {plan.setup.table}, {halves}: {result.faults} faults,"
        f" {result.events} device events, {result.inputs} inputs, {result.outputs} outputs, {result.epochs} epochs"
    )
    return [f"{head}: {'WRONG' if result.wrong else 'all is well'}", *(f"  {wrong}" for wrong in result.wrong)]


def closing(results: Sequence[NightResult], seed: int) -> list[str]:
    """Return the table of faults and the total."""
    kinds = counted([result.plan for result in results])
    wrong = [result for result in results if result.wrong]
    lines = [f"{kind.name:22}{kinds[kind.name]:>5}  {kind.what}" for kind in KINDS if kinds[kind.name]]
    sums = [sum(getattr(r, name) for r in results) for name in ("faults", "events", "inputs", "outputs", "epochs")]
    lines.append(
        f"seed {seed}: {sums[0]} faults of {len(kinds)} kinds in {len(results)} nights of up to {PER_NIGHT};"
        f" {sums[1]} device events, {sums[2]} inputs, {sums[3]} outputs, {sums[4]} epochs"
    )
    again = "; ".join(f"--seed {seed} --night {result.plan.number}" for result in wrong)
    lines.append(
        f"NOT as it must be in {len(wrong)} nights; play them again with the same --faults and {again}"
        if wrong
        else "0 events lost, 0 counted twice, 0 verdicts missing or repeated, 0 leaks"
    )
    return lines


COMMAND = CampaignCommand()

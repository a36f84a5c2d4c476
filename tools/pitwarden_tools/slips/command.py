"""`./run tool slips`: rounds with slips through the running service, compared with what truly lay face up."""

import argparse
import asyncio
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pitwarden_tools.campaign.broker import Broker, BrokerError
from pitwarden_tools.slips.night import SlipNightResult, play_night
from pitwarden_tools.worlds.command import WorldsJob
from pitwarden_tools.worlds.deal import HouseOptions
from pitwarden_tools.worlds.games import GAMES

_PER_NIGHT: Final = 50
"""Rounds at one table before a new one is set up: open irregularities make each further row slower."""
_SHOWN: Final = 10


class SlipsCommand:
    """Plays rounds with slips at real tables."""

    name = "slips"
    help = "play rounds with slips through both halves and a broker; find each card that was published while hidden"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--game", choices=(*GAMES, "all"), default="all")
        parser.add_argument("--rounds", type=int, default=100, help="rounds of each game (default 100)")
        parser.add_argument("--seed", type=int, default=1, help="number of the first round (default 1)")
        parser.add_argument("--boxes", type=int, default=3, help="boxes at most (default 3)")
        parser.add_argument("--slips", type=int, default=1, help="slips of each round (default 1)")
        parser.add_argument("--odd", type=float, default=0.3, help="part of rounds with a foreseen event (default 0.3)")
        parser.add_argument("--epochs", type=float, default=0.02, help="part with a new epoch (default 0.02)")
        parser.add_argument("--at-once", type=int, default=2, help="tables that run at the same time (default 2)")
        parser.add_argument("--mosquitto", default=shutil.which("mosquitto") or "mosquitto", metavar="PROGRAM")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when nothing hidden was published, 1 when something was, 2 when the broker does not start."""
        try:
            results = asyncio.run(play(plans(args), args.mosquitto, args.at_once))
        except BrokerError as error:
            print(f"slips: {error}", file=sys.stderr)  # noqa: T201  a command talks to a person
            return 2
        for line in report(results):
            print(line)  # noqa: T201  the command's answer
        return 1 if any(result.early or result.wrong for result in results) else 0


def plans(args: argparse.Namespace) -> list[WorldsJob]:
    """Return the nights: half of each game's tables key `kp.dealt`, a third of those of 3 Card Blitz deal stacks."""
    made = []
    for short in GAMES if args.game == "all" else (args.game,):
        for number, first in enumerate(range(args.seed, args.seed + args.rounds, _PER_NIGHT)):
            stacks = short == "CB" and number % 3 == 0
            house = HouseOptions(GAMES[short], args.boxes, dealt=number % 2 == 0, stacks=stacks)
            rounds = min(_PER_NIGHT, args.seed + args.rounds - first)
            made.append(WorldsJob(house, first, rounds, args.slips, args.odd, args.epochs))
    return made


async def play(nights: Sequence[WorldsJob], mosquitto: str, at_once: int) -> list[SlipNightResult]:
    """Play the nights, so many at the same time, each with a broker of its own."""
    places = asyncio.Semaphore(at_once)
    with tempfile.TemporaryDirectory(prefix="pitwarden-slips-") as place:

        async def one(number: int, night: WorldsJob) -> SlipNightResult:
            folder = Path(place) / f"night-{number}"
            async with places:
                broker = Broker(mosquitto, Path(place) / f"broker-{number}")
                await asyncio.to_thread(broker.start)
                try:
                    result = await play_night(night, broker, folder)
                    print(progress(result), flush=True)  # noqa: T201  progress of a long run
                    return result
                finally:
                    broker.kill()
                    await asyncio.to_thread(shutil.rmtree, folder)

        return list(await asyncio.gather(*(one(number, night) for number, night in enumerate(nights))))


def progress(result: SlipNightResult) -> str:
    """Return a line for a night that is over."""
    plan = result.plan
    found = f"{len(result.early)} published while hidden, {len(result.wrong)} other faults"
    return f"{plan.house.game.short} rounds {plan.seed} to {plan.seed + result.rounds - 1}: {found}"


def report(results: Sequence[SlipNightResult]) -> list[str]:
    """Return the figures of each game, and the first faults that were found."""
    lines = []
    for short in GAMES:
        nights = [result for result in results if result.plan.house.game.short == short]
        if nights:
            early, wrong = (sum(len(getattr(one, name)) for one in nights) for name in ("early", "wrong"))
            lines.append(
                f"{short}: {sum(one.rounds for one in nights)} rounds, {sum(one.rows for one in nights)} rows, "
                f"{sum(one.published for one in nights)} cards published of {sum(one.truly_seen for one in nights)} "
                f"that were turned, {early} published while hidden, {wrong} other faults"
            )
    found = [line for result in results for line in (*result.early, *result.wrong)]
    return [*lines, *(f"    {line}" for line in found[:_SHOWN])]


COMMAND = SlipsCommand()

"""`./run tool worlds`: random rounds with slips, judged by every world that their logs allow."""

import argparse
import random
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import Final, NamedTuple

from pitwarden_tools.worlds.core import PublishingCore
from pitwarden_tools.worlds.deal import HouseOptions, course
from pitwarden_tools.worlds.games import GAMES
from pitwarden_tools.worlds.oracle import Oracle
from pitwarden_tools.worlds.slips import opened_anew, slip
from pitwarden_tools.worlds.steps import Agenda
from pitwarden_tools.worlds.walk import PlayedCourse, honest, log_of

_BATCH: Final = 50
_SHOWN: Final = 5
_PACES_MS: Final = (300, 700, 2_000)


class WorldsJob(NamedTuple):
    """A batch of rounds: the house, the seed of the first round, how many; `slips` of each, `odd`: foreseen events.

    `epochs`: how often the log opens a new epoch in mid-round; `truth`: judge by the one true course alone.
    """

    house: HouseOptions
    seed: int
    rounds: int
    slips: int = 1
    odd: float = 0.3
    epochs: float = 0.1
    truth: bool = False


class Found(NamedTuple):
    """Result of a batch: rounds, cards published, leaks in truth and in a world by slip, logs of no world, proofs."""

    rounds: int
    published: int
    true: Counter[str]
    possible: Counter[str]
    unexplained: int
    proofs: tuple[str, ...]


def judge(job: WorldsJob) -> Found:
    """Play and judge a batch."""
    made = course(job.house)
    true, possible = Counter[str](), Counter[str]()
    published, unexplained, proofs = 0, 0, list[str]()
    for number in range(job.seed, job.seed + job.rounds):
        played = random_log(job, made, random.Random(f"{job.house.game.short} {number}"))
        told = published_by_core(job, played)
        published += len(told)
        early = [card for card, row in told.items() if played.seen.get(card, row + 1) > row]
        true.update([played.name] if early else [])
        if job.truth:
            continue
        proof, explained = contradicted(job, made, played, told)
        unexplained += not explained
        if proof:
            possible.update([played.name])
            proofs.append(f"seed {number} [{played.name}] {proof}")
    return Found(job.rounds, published, true, possible, unexplained, tuple(proofs[:_SHOWN]))


def random_log(job: WorldsJob, made: Agenda | None, rng: random.Random) -> PlayedCourse:
    """Return the log of a random round with so many slips."""
    items, names = honest(job.house, made, rng, job.odd), list[str]()
    for _ in range(job.slips):
        items, name = slip(items, job.house.game, job.house.boxes, rng)
        names.append(name)
    if rng.random() < job.epochs:
        items = opened_anew(items, rng)
    played = log_of(items, ", ".join(names) or "no slip")
    played.pace_ms = rng.choice(_PACES_MS)
    return played


def published_by_core(job: WorldsJob, played: PlayedCourse) -> dict[int, int]:
    """Return the cards that the core publishes, and on which row each."""
    without = frozenset[str]() if job.house.dealt else frozenset({"kp.dealt"})
    core = PublishingCore(job.house.game, stacks=job.house.stacks, without=without, pace_ms=played.pace_ms)
    told = dict[int, int]()
    for number, row in enumerate(played.rows, start=1):
        for card in core.advance(row):
            told.setdefault(card, number)
    return told


def contradicted(job: WorldsJob, made: Agenda | None, played: PlayedCourse, told: dict[int, int]) -> tuple[str, bool]:
    """Return the proof that a world hides a card when it is published, empty for none; and whether a world is left."""
    oracle = Oracle(made, max(1, job.slips))
    for number, row in enumerate(played.rows, start=1):
        oracle.advance(row)
        bad = sorted(card for card, at in told.items() if at == number and card in oracle.hidden())
        if bad:
            return f"row {number} {row.name or row.kind} {row.about or ''}: card {bad[0]}; {oracle.proof(bad[0])}", True
    return "", bool(oracle.alive)


class WorldsCommand:
    """Tool that judges random rounds of one game, or of all."""

    name = "worlds"
    help = "judge random rounds with slips by every course that their logs allow; find what some course hides"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--game", choices=(*GAMES, "all"), default="all")
        parser.add_argument("--rounds", type=int, default=200, help="rounds of each game (default 200)")
        parser.add_argument("--seed", type=int, default=1, help="number of the first round (default 1)")
        parser.add_argument("--boxes", type=int, default=2, help="boxes at most (default 2)")
        parser.add_argument("--in-log", type=int, default=1, help="rounds in one log (default 1)")
        parser.add_argument("--slips", type=int, default=1, help="slips of each round, 0 for honest play (default 1)")
        parser.add_argument("--odd", type=float, default=0.3, help="part of rounds with a foreseen event (default 0.3)")
        parser.add_argument("--processes", type=int, default=1)
        for flag, text in (
            ("dealt", "the table keys kp.dealt"),
            ("stacks", "3 Card Blitz is dealt in stacks"),
            ("truth", "judge by the one true course alone: fast"),
        ):
            parser.add_argument(f"--{flag}", action="store_true", help=text)

    def run(self, args: argparse.Namespace) -> int:
        """Return 1 where the core published a card or an answer that some world hides, else 0."""
        leaks = 0
        for short in GAMES if args.game == "all" else (args.game,):
            house = HouseOptions(GAMES[short], args.boxes, args.in_log, args.dealt, args.stacks and short == "CB")
            jobs = [
                WorldsJob(
                    house, first, min(_BATCH, args.seed + args.rounds - first), args.slips, args.odd, truth=args.truth
                )
                for first in range(args.seed, args.seed + args.rounds, _BATCH)
            ]
            with ProcessPoolExecutor(args.processes) as pool:
                leaks += _reported(short, list(pool.map(judge, jobs)))
        return 1 if leaks else 0


def _reported(short: str, found: list[Found]) -> int:
    """Write the figures of a game; return how many rounds leaked."""
    true = sum((one.true for one in found), Counter[str]())
    possible = sum((one.possible for one in found), Counter[str]())
    rounds, published = sum(one.rounds for one in found), sum(one.published for one in found)
    sys.stdout.write(
        f"{short}: {rounds} rounds, {published / max(1, rounds):.1f} cards published a round, "
        f"{true.total()} rounds leak in truth, {possible.total()} in a possible world, "
        f"{sum(one.unexplained for one in found)} logs of no world\n"
    )
    for kind, times in (true + possible).most_common(_SHOWN):
        sys.stdout.write(f"    {times} x {kind}\n")
    for proof in [proof for one in found for proof in one.proofs][:_SHOWN]:
        sys.stdout.write(f"    {proof}\n")
    sys.stdout.flush()
    return true.total() + possible.total()


COMMAND = WorldsCommand()

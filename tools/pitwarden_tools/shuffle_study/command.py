"""Tool `audit-shuffles`: false alarms on honest shoes, and the delay until each defect is noticed."""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor

from pitwarden_tools.shuffle_study.dealing import GAMES
from pitwarden_tools.shuffle_study.measure import Caught, Honest, defective, honest
from pitwarden_tools.shuffle_study.packs import DEFECTS

Job = tuple[str, str, int, int]


def measured(job: Job) -> tuple[Job, Honest | Caught]:
    """Measure one game's honest shoes, or its runs of one defect."""
    game, defect, count, seed = job
    if not defect:
        return job, honest(GAMES[game], count, seed)
    return job, defective(GAMES[game], DEFECTS[defect], defect, count, seed)


def line(job: Job, made: Honest | Caught) -> str:
    """Return the measurement as a row of a table."""
    if isinstance(made, Honest):
        return f"| {job[0]} | honest | {made.shoes} shoes, {made.cards} cards | {made.alarmed} alarmed | |"
    median, ninth = made.delay()
    caught = f"{len(made.delays)} alarmed, {made.first} in the first shoe"
    return f"| {job[0]} | {job[1]} | {made.runs} runs | {caught} | {median} / {ninth} |"


class AuditShufflesCommand:
    """Tool that measures the shuffle auditor."""

    name = "audit-shuffles"
    help = "measure the shuffle auditor: false alarms on honest shoes, and the delay of an alarm for each defect"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--shoes", type=int, default=10_000, help="honest shoes of each game (default 10,000)")
        parser.add_argument("--runs", type=int, default=1_000, help="runs of each defect and game (default 1,000)")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--game", choices=sorted(GAMES), action="append", help="one game, or several; else all")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when no honest shoe raised an alarm, else 1."""
        games = args.game or sorted(GAMES)
        jobs: list[Job] = [(game, "", args.shoes, args.seed) for game in games]
        jobs += [(game, defect, args.runs, args.seed) for game in games for defect in DEFECTS]
        false = 0
        with ProcessPoolExecutor() as pool:
            for job, made in pool.map(measured, jobs):
                false += made.alarmed if isinstance(made, Honest) else 0
                sys.stdout.write(line(job, made) + "\n")
                sys.stdout.flush()
        return 1 if false else 0


COMMAND = AuditShufflesCommand()

"""Honest play at length: `python tests/honest_play.py [--rounds 1000] [--seeds 20]`; exit code 1 on any complaint.

A complaint is an output that honest play must not give, or a card that lay face up and was not published by the end of
its round.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from pitwarden_simulators.table.setup import FURTHER_TABLES, TABLES

# pytest puts this folder on the path; a program that is run by itself does it before the import.
sys.path.insert(0, str(Path(__file__).parent / "support"))

from testkit.nights.in_memory_night import InMemoryJudge, play
from testkit.nights.public_cards import PublicCardsJudge
from testkit.nights.shoes import Shoes

ALL = TABLES | FURTHER_TABLES

Job = tuple[str, str, int]


def one_night(job: Job) -> tuple[Job, int, int, list[str]]:
    """Plays one night: the job, the rows logged, the cards and answers published, the complaints."""
    table, seed, rounds = job
    judge, shoes = InMemoryJudge(ALL[table]), Shoes()
    public = PublicCardsJudge(judge, shoes)
    played = play(ALL[table], seed, rounds, judge=public, shoes=shoes)
    return job, len(played.rows), public.published, [*judge.complaints(), *public.missing]


def main() -> int:
    """Plays every table for every seed on all cores."""
    parser = argparse.ArgumentParser(description="Honest nights on a simulated clock: nothing may be complained about.")
    parser.add_argument("--rounds", type=int, default=1_000)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=None, help="as many as the machine has cores by default")
    parser.add_argument("--tables", default=",".join(ALL))
    args = parser.parse_args()
    seeds = range(args.first_seed, args.first_seed + args.seeds)
    jobs = [(table, str(seed), args.rounds) for seed in seeds for table in args.tables.split(",")]
    bad = 0
    with ProcessPoolExecutor(args.processes) as pool:
        for (table, seed, rounds), rows, published, complaints in pool.map(one_night, jobs):
            bad += bool(complaints)
            figures = f"{rounds} rounds, {rows} rows, {published} published, {len(complaints)} complaints"
            print(f"{table} seed {seed}: {figures}", flush=True)  # noqa: T201  the command's answer
            for complaint in complaints[:3]:
                print(f"  {complaint}")  # noqa: T201  as above
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""Tool `oracle compare`: the rules core against a second implementation of the regulations, on random sequences."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pitwarden_tools.oracle.compare import shortest
from pitwarden_tools.oracle.core import Cores, header
from pitwarden_tools.oracle.reached import coverage
from pitwarden_tools.oracle.tally import Tally, TallyJob, tallies

GAMES: Final = {
    "triple-attack-blackjack": "TAB", "double-attack-blackjack": "DAB", "three-card-blitz": "CB",
    "blackjack-in-between": "IB", "switch-hands": "SH",
    "craps": "CR",
}  # fmt: skip
USUAL: Final = 1_000


class OracleCommand:
    """Tool that compares the two."""

    name = "oracle"
    help = "compare the rules core with a second reading of the regulations on random sequences"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("what", choices=("compare",))
        parser.add_argument("--game", choices=tuple(GAMES), required=True)
        parser.add_argument("--sequences", type=int, default=USUAL, help=f"how many (default {USUAL})")
        parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same sequences (default 1)")
        parser.add_argument("--start", type=int, default=0, help="the first sequence (default 0)")
        parser.add_argument("--processes", type=int, default=1, help="how many at the same time (default 1)")
        parser.add_argument("--wild", action="store_true", help="more mutations, and decks that come preshuffled")
        parser.add_argument(
            "--corners", action="store_true", help="irregularities put in by kind: hand dealing, keyed wagers, voids"
        )
        parser.add_argument("--coverage", action="store_true", help="print what the sequences reached")
        parser.add_argument("--journal", type=Path, help="file of what is done: the same command goes on from there")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when the two agree on every line that the texts decide, 1 when not."""
        job, found = TallyJob(GAMES[args.game], args.seed, args.start, args.sequences, args.wild, args.corners), Tally()
        for one in tallies(job, max(1, args.processes), args.journal):
            found.add(one)
            sys.stderr.write(f"{found.sequences} sequences, {sum(found.kinds.values())} differences\n")
        for line in report(job, found):
            sys.stdout.write(f"{line}\n")
        if args.coverage:
            sys.stdout.writelines(f"{line}\n" for line in coverage(found.reached))
        sys.stdout.write(f"{args.sequences} sequences, {found.lines} lines judged by both, ")
        sys.stdout.write(f"{sum(found.kinds.values())} differences of {len(found.kinds)} kinds\n")
        return 1 if found.kinds else 0


def report(job: TallyJob, found: Tally) -> Iterator[str]:
    """Yield each kind of difference, the most frequent first, with a shortest sequence as a scenario file."""
    cores = Cores()
    for kind, times in found.kinds.most_common():
        yield f"{times} x {kind}"
        least = shortest(job.sequence(found.first[kind]), kind, cores)
        yield from (f"    {row}" for row in (*header(least.setup).splitlines(), *least.lines))
        yield ""


COMMAND: Final = OracleCommand()

"""`pitwarden oracle compare`: the rules core against a second reading of the regulations, on random sequences."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pitwarden_simulators.oracle.compare import compare, shortest
from pitwarden_simulators.oracle.core import Cores, header
from pitwarden_simulators.oracle.night import Sequence
from pitwarden_simulators.oracle.slips import sequence

GAMES: Final = {
    "triple-attack-blackjack": "TAB", "double-attack-blackjack": "DAB", "three-card-blitz": "CB",
    "blackjack-in-between": "IB", "switch-hands": "SH",
}  # fmt: skip
USUAL: Final = 1_000


@dataclass(slots=True)
class Tally:
    """What came of the sequences: how many lines were judged, and the first sequence of each kind of difference."""

    lines: int = 0
    words: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    first: dict[str, Sequence] = field(default_factory=dict)


def tally(game: str, count: int, seed: int, start: int = 0) -> Tally:
    """Compares sequences `start` to `start + count` of `seed`; `game` is one of `GAMES`."""
    found, cores = Tally(), Cores()
    for index in range(start, start + count):
        made = sequence(game, seed, index)
        one = compare(made, cores)
        found.lines += one.judged
        if one.difference is not None:
            found.kinds[one.difference.kind] += 1
            found.first.setdefault(one.difference.kind, made)
    return found


class OracleCommand:
    """Compares."""

    name = "oracle"
    help = "compare the rules core with a second reading of the regulations on random sequences"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        parser.add_argument("what", choices=("compare",))
        parser.add_argument("--game", choices=tuple(GAMES), required=True)
        parser.add_argument("--sequences", type=int, default=USUAL, help=f"how many (default {USUAL})")
        parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same sequences (default 1)")
        parser.add_argument("--start", type=int, default=0, help="the first sequence (default 0)")

    def run(self, args: argparse.Namespace) -> int:
        """0 when the two agree on every line that the texts decide, 1 when not."""
        found = tally(GAMES[args.game], args.sequences, args.seed, args.start)
        for line in report(found):
            sys.stdout.write(f"{line}\n")
        sys.stdout.write(f"{args.sequences} sequences, {found.lines} lines judged by both, ")
        sys.stdout.write(f"{sum(found.kinds.values())} differences of {len(found.kinds)} kinds\n")
        return 1 if found.kinds else 0


def report(found: Tally) -> Iterator[str]:
    """Each kind of difference, the most frequent first, with a shortest sequence as a scenario file."""
    cores = Cores()
    for kind, times in found.kinds.most_common():
        yield f"{times} x {kind}"
        least = shortest(found.first[kind], kind, cores)
        yield from (f"    {row}" for row in (*header(least.setup).splitlines(), *least.lines))
        yield ""


COMMAND: Final = OracleCommand()

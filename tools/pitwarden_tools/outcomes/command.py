"""Tool `outcomes`: outcomes of random rounds by a second reading of the texts, against those of the rules core."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final

from pitwarden_tools.outcomes.blackjack import blackjack_rounds
from pitwarden_tools.outcomes.blitz import blitz_rounds
from pitwarden_tools.outcomes.craps import craps_rounds
from pitwarden_tools.outcomes.family import FAMILY
from pitwarden_tools.outcomes.rounds import PlayedRound, TableComparison, compare_table

GAMES: Final = {
    "triple-attack-blackjack": "TAB", "double-attack-blackjack": "DAB", "three-card-blitz": "CB",
    "blackjack-in-between": "IB", "switch-hands": "SH", "craps": "CR",
}  # fmt: skip
USUAL: Final = 10_000
_SHOWN: Final = 5


class OutcomesCommand:
    """Tool that compares the outcomes."""

    name = "outcomes"
    help = "compare the outcomes of random rounds with a second reading of the texts and their pay tables"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--game", choices=tuple(GAMES), action="append", help="one game, or several; else all")
        parser.add_argument("--rounds", type=int, default=USUAL, help=f"rounds of each game (default {USUAL:,})")
        parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same rounds (default 1)")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when all outcomes agree, 1 when one differs."""
        found = 0
        for game in args.game or GAMES:
            rounds, wagers, lines, kinds, shown = 0, 0, set[tuple[str, str, str]](), Counter[str](), list[str]()
            for made in comparisons(GAMES[game], args.seed, args.rounds):
                rounds, wagers, lines = rounds + made.rounds, wagers + made.wagers, lines | made.results
                for one in made.differences:
                    kinds[f"{one.wager}: text {one.text}, core {one.core}"] += 1
                    shown += [str(one)] if len(shown) < _SHOWN else []
            found += kinds.total()
            sys.stdout.write(
                f"{game}: {rounds} rounds, {wagers} wagers, {len(lines)} different results, "
                f"{kinds.total()} differences\n"
            )
            sys.stdout.writelines(f"    {times} x {kind}\n" for kind, times in kinds.most_common())
            sys.stdout.writelines(f"  {one}\n" for one in shown)
            sys.stdout.flush()
        return 1 if found else 0


def comparisons(game: str, seed: int, rounds: int) -> Iterator[TableComparison]:
    """Yield the comparison of one table after the other, until `rounds` rounds are played."""
    number, played = 0, 0
    while played < rounds:
        made = compare_table(*table(game, Random(f"{game} {seed} {number}")))
        number, played = number + 1, played + made.rounds
        yield made


def table(game: str, rng: Random) -> tuple[list[str], list[PlayedRound]]:
    """Return the header and the rounds of a random table of `game`, by its short name."""
    if game in FAMILY:
        return blackjack_rounds(game, rng)
    return blitz_rounds(rng) if game == "CB" else craps_rounds(rng)


COMMAND: Final = OutcomesCommand()

"""Seven cards of 3 Card Blitz at length: a seeded sample of all hands, and every hand of a reduced pack.

`python tests/seven_cards.py --sample 2000000 --seed 1 --reduced 7`: each hand by our evaluator and by a second one that
was written apart; the first that differs is said, else how many there were and how they fell.
"""

import argparse
import sys
from pathlib import Path

from testkit.reference.blitz_comparison import compared, flushes, reduced, sample

sys.path.insert(0, str(Path(__file__).parent / "support"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sample", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reduced", type=int, default=7)
    args = parser.parse_args()
    for name, hands in (("sample", sample(args.sample, args.seed)), ("reduced", reduced(args.reduced))):
        fell = compared(hands)
        print(name, sum(fell.values()) // 2, "hands, no difference:", dict(fell.most_common()))  # noqa: T201  a command
        if name == "reduced":
            counted = flushes(args.reduced)
            assert {line: fell[line] for line in counted} == counted


if __name__ == "__main__":
    main()

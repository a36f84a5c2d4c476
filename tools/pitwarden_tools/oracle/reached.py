"""Coverage of the comparison: clauses, cases, phases, pairs of irregularities, and corners that were judged."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from pitwarden_tools.oracle.judge import Judged
from pitwarden_tools.oracle.night import Sequence

GROUPS: Final = ("clause", "case", "phase", "pair", "corner", "corner judged")
SHOWN: Final = {"pair": 40}
"""Pairs are many: those of most sequences are printed, and the number of all."""


def reached(sequence: Sequence, lines: tuple[Judged, ...]) -> set[str]:
    """Return what the judged lines of one sequence reached, as `group: name`."""
    found: set[str] = set()
    in_round: set[str] = set()
    for line in lines:
        found.add(f"phase: {line.phase}")
        for one in line.found:
            if not one.needed:
                continue
            name = "|".join(sorted(one.ids)) or "any number"
            words = " ".join(sorted(one.words)) or " or ".join(sorted(one.maybe))
            found |= {f"clause: {clause}" for clause in one.ids}
            found.add(f"case: {name} {words} on {line.word} in {line.phase}")
            in_round.add(f"{name} {words}")
        if line.word == "kp.round_end":
            found |= _pairs(in_round)
            in_round = set()
    found |= _pairs(in_round)
    for name, at in sequence.corners:
        found.add(f"corner: {name}")
        if at < len(lines):
            found.add(f"corner judged: {name}")
    return found


def _pairs(findings: set[str]) -> set[str]:
    return {f"pair: {one} with {other}" for one, other in combinations(sorted(findings), 2)}


def coverage(counted: Counter[str]) -> Iterator[str]:
    """Yield the report: each group with its size, and its members with the number of sequences that reached them."""
    for group in GROUPS:
        members = [(name.partition(": ")[2], times) for name, times in counted.items() if name.startswith(f"{group}: ")]
        yield f"{group}: {len(members)} reached"
        members.sort(key=lambda member: (-member[1], member[0]))
        yield from (f"    {times:>7} {name}" for name, times in members[: SHOWN.get(group)])

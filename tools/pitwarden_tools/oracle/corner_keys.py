"""Corners of keys, of all games: early, late, double, for another box, and in another order."""

from random import Random
from typing import Final

from pitwarden_tools.oracle.said import Setup

FAR: Final = 4
OF_A_BOX: Final = (
    "kp.decision", "kp.wager", "kp.settled", "kp.reveal", "kp.bonus_settled", "kp.choice", "kp.refuse", "kp.skipped",
)  # fmt: skip
"""Keys that name a box."""


def key(rng: Random, lines: list[str], opening: int, *starts: str) -> int:
    """Return the place of a key that begins with one of `starts`, or of any key; -1 if there is none."""
    wanted = starts or ("kp.",)
    places = [at for at in range(opening, len(lines)) if lines[at].startswith(wanted)]
    return rng.choice(places) if places else -1


def key_early(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Press a key some lines too early."""
    at = key(rng, lines, opening)
    if at < 0:
        return -1
    there = max(opening, at - rng.randint(1, FAR))
    lines.insert(there, lines.pop(at))
    return there


def key_late(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Press a key some lines too late."""
    at = key(rng, lines, opening)
    if at < 0:
        return -1
    line = lines.pop(at)
    lines.insert(min(len(lines), at + rng.randint(1, FAR)), line)
    return at


def hit_late(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Key a hit after its card (36.7(h))."""
    at = key(rng, lines, opening, "kp.decision")
    if at < 0 or at + 1 >= len(lines) or not lines[at].endswith(" hit") or not lines[at + 1].startswith("sh.card"):
        return -1
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return at


def key_double(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Press a key twice."""
    at = key(rng, lines, opening)
    if at >= 0:
        lines.insert(at, lines[at])
    return at


def other_box(rng: Random, setup: Setup, lines: list[str], opening: int) -> int:
    """Press a key for another box."""
    at = key(rng, lines, opening, *OF_A_BOX)
    if at < 0:
        return -1
    words = lines[at].split()
    place = next(index for index, word in enumerate(words) if word.isdecimal())
    words[place] = str(rng.randint(1, setup.positions))
    lines[at] = " ".join(words)
    return at


def keys_exchanged(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Exchange two neighboring keys; where they commute at the table nothing may follow from it."""
    pairs = [
        at for at in range(opening, len(lines) - 1) if lines[at].startswith("kp.") and lines[at + 1].startswith("kp.")
    ]
    if not pairs:
        return -1
    at = rng.choice(pairs)
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    return at


def never_keyed(rng: Random, _setup: Setup, lines: list[str], opening: int) -> int:
    """Leave a key out in every round: the same breach again."""
    at = key(rng, lines, opening)
    if at < 0:
        return -1
    words = tuple(lines[at].split()[: 2 if lines[at].startswith("kp.close") else 1])
    if words[0] in {"kp.boxes", "kp.round_end"}:
        return -1
    kept = [line for line in lines[opening:] if tuple(line.split()[: len(words)]) != words]
    first = next(there for there in range(opening, len(lines)) if tuple(lines[there].split()[: len(words)]) == words)
    lines[opening:] = kept
    return first


KEY_CORNERS: Final = {
    "key early": key_early, "key late": key_late, "hit keyed late": hit_late, "key double": key_double,
    "key for another box": other_box, "keys exchanged": keys_exchanged, "the same breach in each round": never_keyed,
}  # fmt: skip

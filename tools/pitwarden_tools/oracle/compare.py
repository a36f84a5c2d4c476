"""Comparison of oracle and rules core on one sequence: their first difference, and the shortest sequence to it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from pitwarden_tools.oracle.core import Cores, Spoken
from pitwarden_tools.oracle.judge import Judged, judged
from pitwarden_tools.oracle.night import Sequence
from pitwarden_tools.oracle.said import NO_DECK, ExpectedFinding

STRONG: Final = frozenset({"VOID", "DEAD", "HAND_DEAD", "DECK_OUT", "DESTROY", "SHUFFLE", "USE_NEXT", "OPTION", "RACK",
                           "BURN", "NO_READER", "check.failed"})  # fmt: skip
JUDGED: Final = {
    game: frozenset(f"{game}-{number:02}" for number in numbers) | {"G-02", "G-10", "G-13", "G-20"}
    for game, numbers in {
        "TAB": (
            1,
            2,
            4,
            5,
            7,
            8,
            9,
            10,
            11,
            12,
            14,
            15,
            16,
            17,
            19,
            20,
            22,
            23,
            25,
            26,
            28,
            29,
            30,
            31,
            32,
            35,
            52,
            53,
            *range(36, 49),
        ),
        "CB": (3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 16, 17, 18, 20, 21, 22, 23, 27, 28, *range(35, 40)),
        "DAB": (1, 3, 5, 7, 8, 10, 11, 12, 13, *range(15, 28)),
        "SH": (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 14, 15, 16, 17, 18, 23),
        "IB": (3, 4, 5),
        "CR": range(2, 9),
    }.items()
}
"""Catalog numbers that the oracle decides; of others only strong words are compared."""


@dataclass(frozen=True, slots=True)
class Difference:
    """First line on which the two differ: the findings that the core lacks, and those beyond the oracle's."""

    at: int
    word: str
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def kind(self) -> str:
        """Group of the difference."""
        parts = [f"on {self.word}:"]
        parts += [f"the core does not say {one};" for one in self.missing]
        parts += [f"the core says {one};" for one in self.extra]
        return " ".join(parts).rstrip(";")


@dataclass(frozen=True, slots=True)
class Compared:
    """Number of lines judged by both, the difference, if any, and the lines before that one spoke.

    `lines`: all that the texts judge, those of the opening included.
    """

    judged: int
    difference: Difference | None
    spoke: int = 0
    lines: tuple[Judged, ...] = ()


def compare(sequence: Sequence, cores: Cores) -> Compared:
    """Compare both on `sequence`, until they differ or the texts are silent."""
    opening = sequence.lines[: sequence.opening]
    lines = tuple(judged(sequence.setup, sequence.lines))
    expected = [one.found for one in lines]
    # No finding is allowed on it, however far the texts decide.
    if sequence.honest:
        expected = [[one for one in found if one.needed] for found in expected]
        expected += [[] for _ in range(len(sequence.lines) - len(expected))]
    start = sequence.opening if sequence.opening <= len(expected) and not any(expected[: len(opening)]) else 0
    core = cores.opened(sequence.setup, sequence.lines[:start])
    spoke = round_at = 0
    for at in range(start, len(expected)):
        before = dict(core.open)
        if at and sequence.lines[at - 1] == "kp.round_end":
            round_at = at
        said = core.advance(sequence.lines[at])
        game = "any" if sequence.honest else sequence.setup.game
        missing, extra = differ(expected[at], said, before.values(), game, round_at)
        if missing or extra:
            word = " ".join(sequence.lines[at].split()[: 2 if sequence.lines[at].startswith("kp.close") else 1])
            return Compared(at - start, Difference(at, word, missing, extra), spoke, lines[:at])
        spoke += any(_counts(one, sequence.setup.game) for one in said)
    return Compared(len(expected) - start, None, spoke, lines)


def differ(
    expected: list[ExpectedFinding], said: list[Spoken], standing: Iterable[Spoken], game: str, round_at: int = 0
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what `said` lacks of `expected`, and what is beyond it.

    Open irregularities need not be repeated; a breach of this round is not reported by one that was opened before the
    line `round_at`.
    """
    if any(not one.ids and not one.words for one in expected):
        return (), ()
    known = list(standing)
    missing = [
        one
        for one in expected
        if one.needed
        and not any(meets(one, spoken) for spoken in said)
        and not any(meets(one, spoken) for spoken in known if not one.fresh or spoken.line > round_at)
    ]
    extra = [spoken for spoken in said if _counts(spoken, game) and not any(meets(one, spoken) for one in expected)]
    return tuple(map(_finding, missing)), tuple(f"{one.id} {' '.join(sorted(one.words))}" for one in extra)


def meets(wanted: ExpectedFinding, spoken: Spoken) -> bool:
    """Return whether `spoken` matches `wanted`."""
    words = spoken.words - {"CONTINUE"} or spoken.words
    least = wanted.words - {"CONTINUE"} or wanted.words
    numbered = not wanted.ids or spoken.id in wanted.ids
    owned = not wanted.analogy or spoken.basis in {"", "analogy"}
    placed = not wanted.box or spoken.box == wanted.box
    decked = not wanted.deck or spoken.deck == wanted.deck.strip(NO_DECK)
    return numbered and owned and placed and decked and least <= words <= wanted.words | wanted.maybe


def _counts(spoken: Spoken, game: str) -> bool:
    if "done" in spoken.words or spoken.words <= {"CONTINUE"}:
        return False
    if game == "any":
        return spoken.words != {"due"}
    return spoken.id in {*JUDGED[game], "outcome"} or bool(spoken.words & STRONG)


def _finding(one: ExpectedFinding) -> str:
    maybe = f" [{' '.join(sorted(one.maybe))}]" if one.maybe else ""
    place = (f" box={one.box}" if one.box else "") + (f" deck={one.deck}" if one.deck else "")
    return f"{'|'.join(sorted(one.ids)) or 'any'} {' '.join(sorted(one.words))}{maybe}{place}"


def shortest(sequence: Sequence, kind: str, cores: Cores, patience: int = 400) -> Sequence:
    """Return the sequence without lines that a difference of this kind does not need; at most `patience` trials.

    Without a line an honest sequence would not be honest: only what follows the difference is removed.
    """
    if sequence.honest:
        found = compare(sequence, cores).difference
        return replace(sequence, lines=sequence.lines[: found.at + 1]) if found else sequence
    size = max(1, len(sequence.lines) // 2)
    spoke = compare(sequence, cores).spoke
    while size and patience > 0:
        at = 0
        while at < len(sequence.lines) and patience > 0:
            patience -= 1
            shorter = _without(sequence, at, size)
            one = compare(shorter, cores)
            if one.difference is not None and one.difference.kind == kind and one.spoke <= spoke:
                sequence, spoke = replace(shorter, lines=shorter.lines[: one.difference.at + 1]), one.spoke
            else:
                at += size
        size //= 2
    return sequence


def _without(sequence: Sequence, at: int, size: int) -> Sequence:
    return replace(
        sequence,
        lines=sequence.lines[:at] + sequence.lines[at + size :],
        opening=sequence.opening - max(0, min(sequence.opening, at + size) - at),
    )

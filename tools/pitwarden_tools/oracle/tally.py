"""Comparison of many sequences: in chunks, in several processes, and from where an interrupted run stopped."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from pitwarden_tools.oracle.compare import compare
from pitwarden_tools.oracle.core import Cores
from pitwarden_tools.oracle.corners import cornered
from pitwarden_tools.oracle.mutation import sequence
from pitwarden_tools.oracle.night import Sequence
from pitwarden_tools.oracle.reached import reached

CHUNK: Final = 500


@dataclass(frozen=True, slots=True)
class TallyJob:
    """Range of sequences: `count` from `start` of `seed`, wild ones or not; `game` is TAB, DAB, CB, SH or IB."""

    game: str
    seed: int
    start: int
    count: int
    wild: bool = False
    corners: bool = False

    def sequence(self, index: int) -> Sequence:
        """Return one of the job's sequences."""
        make = cornered if self.corners else sequence
        return make(self.game, self.seed, index, wild=self.wild)


@dataclass(slots=True)
class Tally:
    """Results of sequences: the lines judged by both, and of each kind of difference the number and the first.

    `reached`: the clauses, cases, phases, pairs and corners that were judged, each with the number of sequences.
    """

    sequences: int = 0
    lines: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    first: dict[str, int] = field(default_factory=dict)
    reached: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        """Add the results of later sequences."""
        self.sequences += other.sequences
        self.lines += other.lines
        self.kinds.update(other.kinds)
        self.reached.update(other.reached)
        self.first = other.first | self.first


def tally(job: TallyJob) -> Tally:
    """Compare the sequences of `job`, one after the other."""
    found, cores = Tally(), Cores()
    for index in range(job.start, job.start + job.count):
        made = job.sequence(index)
        one = compare(made, cores)
        found.sequences += 1
        found.reached.update(reached(made, one.lines))
        found.lines += one.judged
        if one.difference is not None:
            found.kinds[one.difference.kind] += 1
            found.first.setdefault(one.difference.kind, index)
    return found


def tallies(job: TallyJob, processes: int, journal: Path | None) -> Iterator[Tally]:
    """Yield the results of each chunk of `job`; those that `journal` holds already are not compared again."""
    ends = job.start + job.count
    jobs = [replace(job, start=at, count=min(CHUNK, ends - at)) for at in range(job.start, ends, CHUNK)]
    kept = _kept(journal)
    yield from (kept[one] for one in jobs if one in kept)
    left = [one for one in jobs if one not in kept]
    if processes == 1:
        yield from _each(left, map(tally, left), journal)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from _each(left, pool.map(tally, left), journal)


def _each(jobs: list[TallyJob], found: Iterator[Tally], journal: Path | None) -> Iterator[Tally]:
    for job, one in zip(jobs, found, strict=True):
        _keep(journal, job, one)
        yield one


def _kept(journal: Path | None) -> dict[TallyJob, Tally]:
    if journal is None or not journal.exists():
        return {}
    rows = map(json.loads, journal.read_text(encoding="utf-8").splitlines())
    return {TallyJob(**job): Tally(**{**found, **_counters(found)}) for job, found in rows}


def _counters(found: dict[str, dict[str, int]]) -> dict[str, Counter[str]]:
    return {name: Counter(found[name]) for name in ("kinds", "reached")}


def _keep(journal: Path | None, job: TallyJob, found: Tally) -> None:
    if journal is not None:
        with journal.open("a", encoding="utf-8") as rows:
            made = {name: getattr(found, name) for name in Tally.__slots__}
            rows.write(json.dumps([asdict(job), made]) + "\n")

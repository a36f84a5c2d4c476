"""Profile of the judge's processor time: the stack is sampled in equal steps of that time, while rows are judged.

Sampling costs nothing between two samples. A profiler that is called for each function would distort cheap functions.
"""

import signal
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Final

STAGES: Final[Mapping[str, str]] = {
    "pitwarden_client.events.codec.decode": "decoding",
    "pitwarden.rules.engine.evolve.evolve": "moves",
    "pitwarden.rules.transitions.disclosure.disclose": "publishing",
    "pitwarden.rules.ledger.posting.post_row": "the card ledger",
    "pitwarden.rules.engine.step.run_checks": "checks",
    "pitwarden.rules.outcomes.announce.announce_outcomes": "outcomes of wagers",
    "pitwarden.rules.engine.duties.update_duties": "duties",
    "pitwarden.rules.engine.irregularities.expire_graces": "cases",
    "pitwarden.rules.engine.irregularities.apply_facts": "cases",
    "pitwarden.rules.engine.irregularities.open_irregularities": "cases",
    "pitwarden.rules.engine.irregularities.settle_consequences": "cases",
    "pitwarden.rules.engine.retraction.remember_row": "what a retraction needs",
    "pitwarden.rules.frozen.replace": "copies of parts",
    "pitwarden.rules.engine.step.step": "the order of a step",
}
"""Functions of the daemon, and the stage of their time; the innermost one on the stack counts."""

_STEP_S: Final = 0.001
# Functions whose own time is reported.
_FUNCTIONS: Final = 12
_LARGEST: Final = 3


@dataclass(frozen=True, slots=True)
class Costs:
    """Shares of the time, the largest first: of each stage, and of single functions' own time."""

    looks: int
    stages: Mapping[str, float]
    functions: Mapping[str, float]

    def lines(self) -> Sequence[str]:
        """Return the lines of a report."""
        largest = list(self.stages.items())[:_LARGEST]
        return [
            "",
            f"judge: where the time of decode+step goes, by {self.looks} looks at the stack",
            *(f"  {name:28} {share:6.1%}" for name, share in self.stages.items()),
            f"  the three largest: {', '.join(f'{name} {share:.0%}' for name, share in largest)}",
            "  functions by their own time:",
            *(f"    {name:40} {share:6.1%}" for name, share in self.functions.items()),
        ]


def costs(run: Callable[[], object], looks: int) -> Costs:
    """Repeat `run` until its stack was sampled that often; for the main thread alone."""
    stages, functions = Counter[str](), Counter[str]()

    def look(_number: int, frame: FrameType | None) -> None:
        if frame is None:
            return
        functions[_name(frame)] += 1
        while frame is not None and _name(frame) not in STAGES:
            frame = frame.f_back
        stages["all else" if frame is None else STAGES[_name(frame)]] += 1

    before = signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, _STEP_S, _STEP_S)
    try:
        while stages.total() < looks:
            run()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    total = stages.total()
    return Costs(
        total,
        {name: count / total for name, count in stages.most_common()},
        {name: count / total for name, count in functions.most_common(_FUNCTIONS)},
    )


def _name(frame: FrameType) -> str:
    return f"{frame.f_globals.get('__name__', '')}.{frame.f_code.co_name}"

"""Play of one driver: makers of benches with seeded faults, and the judgment of what the log has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import Final

from pitwarden_drivers.api import Driver, Said
from pitwarden_simulators.ports.line_faults import LineFault, combined
from pitwarden_simulators.session_kit.bench import SessionBench
from pitwarden_simulators.session_kit.device import DeviceMaker

EVENTS: Final = 20
APART_MS: Final = 700
SETTLE_MS: Final = 40_000
AFTER: Final = 5
"""Events that are caused after the line has healed."""


class BrokenPromiseError(Exception):
    """The session violates the obligation. Policy: the check failed; the next one begins."""


class NotPlayableError(Exception):
    """The obligation cannot be played with this device. Policy: the check neither passes nor fails."""


def check(kept: bool, words: str) -> None:  # noqa: FBT001  reads as a sentence: check(kept, words)
    """Raise BrokenPromiseError with `words` when the obligation is not kept."""
    if not kept:
        raise BrokenPromiseError(words)


@dataclass
class SessionPlay:
    """Driver under test and the maker of its device. The same seed plays the same faults."""

    driver: Driver
    make: DeviceMaker
    seed: int = 1
    benches: list[SessionBench] = field(default_factory=list)

    def bench(self, serial: str | None = None, firmware: str = "") -> SessionBench:
        """Return a new device on a good line."""
        made = SessionBench(self.driver, self.make(), serial, firmware)
        self.benches.append(made)
        return made

    def ready(self) -> SessionBench:
        """Return a new device that is identified."""
        made = self.bench()
        check(made.identified(), "the device is not identified within 30 s on a good line")
        return made

    @cached_property
    def truth(self) -> tuple[Said, ...]:
        """Events that the log has after EVENTS + AFTER acts of the device on a good line."""
        made = self.ready()
        self.cause(made, EVENTS + AFTER)
        made.run(SETTLE_MS)
        return tuple(made.events())

    @property
    def keeps(self) -> bool:
        """True if the device keeps its events until they are acknowledged."""
        return self.make().keeps

    def random(self, salt: int = 0) -> Random:
        """Return a new source of faults."""
        return Random(f"{self.seed} {salt}")

    @staticmethod
    def cause(bench: SessionBench, events: int, before: Callable[[], None] = lambda: None) -> None:
        """Let the device sense events, some time apart; `before` is called before each."""
        for _ in range(events):
            before()
            bench.device.happen()
            bench.run(APART_MS)

    def play_faults(self, to_host: LineFault, to_device: LineFault) -> None:
        """Play all events, the first of them over a bad line, and judge the log."""
        bench = self.ready()
        bench.to_host, bench.to_device = to_host, to_device
        self.cause(bench, EVENTS)
        self.heal_and_judge(bench)

    def heal_and_judge(self, bench: SessionBench) -> None:
        """Repair the line, play the last events and judge the log."""
        bench.to_host = bench.to_device = combined()
        bench.run(SETTLE_MS)
        check(bench.identified(), "the device is not identified again within 70 s after the line was good again")
        self.cause(bench, AFTER)
        bench.run(SETTLE_MS)
        self.judge(bench)

    def judge(self, bench: SessionBench) -> None:
        """Compare the log with what the device sensed.

        Raises:
            BrokenPromiseError: An event is invented, doubled, out of order or lost in silence.
        """
        said = bench.events()
        at = _strange(said, self.truth)
        check(
            at is None,
            f"event {(at or 0) + 1} of {len(said)} in the log was not sensed, is there twice, or is out of order",
        )
        missing = len(self.truth) - len(said)
        check(
            missing <= bench.doubts() or not self.keeps,
            f"{missing} events are missing and {bench.doubts()} are reported as doubtful or missing",
        )
        tail = AFTER - 1  # a message whose end was damaged can cost the one after it
        check(
            bool(said) and (self.keeps or said[-tail:] == list(self.truth[-tail:])),
            "events are missing that the device sent after the line was good again",
        )
        check(_increasing(bench), "a position (boot, counter) of the log does not follow the one before it")


def _strange(found: Sequence[Said], truth: Sequence[Said]) -> int | None:
    """Return the first index of `found` that makes it no subsequence of `truth`; None when it is one."""
    left = iter(truth)
    return next((at for at, one in enumerate(found) if one not in left), None)


def _increasing(bench: SessionBench) -> bool:
    places = [(one.boot, one.counter) for one in bench.log if one.counter]
    return all(a < b for a, b in pairwise(places))

"""The obligations in the order in which they are played, each with its clause of SPEC.md."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

from pitwarden_drivers.errors import DeviceError
from pitwarden_simulators.conformance import command_checks as command
from pitwarden_simulators.conformance import event_checks as event
from pitwarden_simulators.conformance import identity_checks as identity
from pitwarden_simulators.conformance import line_checks as line
from pitwarden_simulators.conformance.channel import BenchChannel, BrokenObligationError, NotPlayedError

Run = Callable[[BenchChannel], Awaitable[None]]
OBLIGATIONS: Final[tuple[tuple[str, Run], ...]] = (
    ("4 Identify: token", identity.token),
    ("2 Frames: escaping", line.escaped),
    ("2 Frames: whole", line.whole),
    ("2 Frames: noise", line.torn),
    ("2 Frames: CRC", line.checked),
    ("2 Frames: full speed", line.burst),
    ("5 Identity: steady", identity.steady),
    ("5 Heartbeat: period", identity.period),
    ("5 Heartbeat: clock", identity.clock),
    ("4 Identify: silence", identity.silent),
    ("5 Identity: newest", identity.newest),
    ("5 Heartbeat: sent and oldest", identity.sent),
    ("1.5 No repetition", event.once),
    ("4 Resume: order", event.order),
    ("6 Events: kinds", event.kinds),
    ("7 Lists: stacks", event.stacks),
    ("4 Resume: live", event.live),
    ("4 Resume: replaced", event.replaced),
    ("5 Backlog: unknown boot", event.unknown_boot),
    ("4 Ack: unknown boot", event.foreign_ack),
    ("4 Ack: forgets", event.forgotten),
    ("5 Memory: 64 events", event.keeps),
    ("8 Commands: reply", command.answered),
    ("8 Commands: repeated", command.repeated),
    ("8 Commands: unknown code", command.undefined),
    ("8 Commands: too late", command.late),
    ("8 Commands: report count", command.counted),
    ("3 Boot id: restart", command.restarted),
    ("5 Faults: latched", command.latched),
)
_LOST: Final = "the line was lost"
Outcome = Literal["kept", "BROKEN", "not played"]


@dataclass(frozen=True, slots=True)
class ConformanceFinding:
    """What came of one obligation."""

    clause: str
    obligation: str
    outcome: Outcome
    words: str = ""

    def line(self) -> str:
        """The finding on one line."""
        return f"{self.outcome:10}  {self.clause:30}  {self.words or self.obligation}"


async def play(
    talk: BenchChannel, on_finding: Callable[[ConformanceFinding], None] = lambda _: None, only: str = ""
) -> tuple[ConformanceFinding, ...]:
    """Plays every obligation whose clause contains `only`; a line that is lost ends the play."""
    found: list[ConformanceFinding] = []
    lost = False
    for clause, run in (one for one in OBLIGATIONS if only in one[0]):
        finding = (
            ConformanceFinding(clause, "", "not played", "the line is lost") if lost else await _one(clause, run, talk)
        )
        lost = lost or finding.words.startswith(_LOST)
        found.append(finding)
        on_finding(finding)
    return tuple(found)


async def _one(clause: str, run: Run, talk: BenchChannel) -> ConformanceFinding:
    words = (run.__doc__ or "").strip()
    try:
        await run(talk)
    except BrokenObligationError as broken:
        return ConformanceFinding(clause, words, "BROKEN", str(broken))
    except NotPlayedError as why:
        return ConformanceFinding(clause, words, "not played", str(why))
    except DeviceError as fault:
        return ConformanceFinding(clause, words, "BROKEN", f"{_LOST}: {fault}")
    return ConformanceFinding(clause, words, "kept")

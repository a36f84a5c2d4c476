"""Obligations in the order of play, each with its clause of SPEC.md."""

from collections.abc import Awaitable, Callable
from typing import Final

from pitwarden_drivers.errors import DeviceError
from pitwarden_simulators.conformance import command_checks as command
from pitwarden_simulators.conformance import event_checks as event
from pitwarden_simulators.conformance import identity_checks as identity
from pitwarden_simulators.conformance import line_checks as line
from pitwarden_simulators.conformance.channel import BenchChannel, BrokenObligationError, NotPlayedError
from pitwarden_simulators.obligations import Obligation, ObligationFinding

Run = Callable[[BenchChannel], Awaitable[None]]


NAME_WIDTH: Final = 30  # columns of the longest clause
OBLIGATIONS: Final[tuple[Obligation[Run], ...]] = (
    Obligation("4 Identify: token", "Identify is answered at once, with its token.", identity.token),
    Obligation("2 Frames: escaping", "7E, 7D, 11 and 13 never stand in a frame unescaped.", line.escaped),
    Obligation(
        "2 Frames: whole",
        "All that the device sends is a good frame, of a type and with a body that TDP 1 defines.",
        line.whole,
    ),
    Obligation(
        "2 Frames: noise",
        "A frame byte by byte is a frame; noise and a torn frame cost themselves and nothing behind them.",
        line.torn,
    ),
    Obligation("2 Frames: CRC", "A frame with a wrong CRC is dropped in silence.", line.checked),
    Obligation(
        "2 Frames: full speed",
        "At full speed nothing is lost: each of many questions in one go is answered.",
        line.burst,
    ),
    Obligation("5 Identity: steady", "Who answers stays who it is.", identity.steady),
    Obligation("5 Heartbeat: period", "Heartbeats come always, at most `heartbeat` ms apart.", identity.period),
    Obligation(
        "5 Heartbeat: clock", "The clock counts ms since the start, never 0; or it is always 0.", identity.clock
    ),
    Obligation("4 Identify: silence", "From Identify to the next Resume no event is sent.", identity.silent),
    Obligation("5 Identity: newest", "`newest` is the counter of the newest event of the boot.", identity.newest),
    Obligation(
        "5 Heartbeat: sent and oldest",
        "`sent` is what was sent on this line, `oldest` what is kept: not what was sensed meanwhile.",
        identity.sent,
    ),
    Obligation("1.5 No repetition", "The device never repeats by itself, acknowledged or not.", event.once),
    Obligation(
        "4 Resume: order",
        "Resume is answered by Backlog, and behind it come its events, each once, in order, without a hole.",
        event.order,
    ),
    Obligation("6 Events: kinds", "Events are of the device's own family, with payloads as in the table.", event.kinds),
    Obligation(
        "7 Lists: stacks",
        "A stack is one list: nothing but heartbeats and replies within, whole by size and checksum.",
        event.stacks,
    ),
    Obligation("4 Resume: live", "After Resume of the present boot each new event is sent at once.", event.live),
    Obligation("4 Resume: replaced", "A Resume in the midst of an earlier one takes its place.", event.replaced),
    Obligation(
        "5 Backlog: unknown boot",
        "Of a boot that the device does not know it has nothing: first 0, last 0, then the next boot to ask for.",
        event.unknown_boot,
    ),
    Obligation("4 Ack: unknown boot", "An Ack for a boot that the device does not know is ignored.", event.foreign_ack),
    Obligation("4 Ack: forgets", "After Ack the device has only what is behind it.", event.forgotten),
    Obligation("5 Memory: 64 events", "At least 64 events are kept.", event.keeps),
    Obligation("8 Commands: reply", "A command is answered once, by Reply with its request.", command.answered),
    Obligation("8 Commands: repeated", "A repeated request is answered again, with the same result.", command.repeated),
    Obligation("8 Commands: unknown code", "A code that the device does not know is refused.", command.undefined),
    Obligation(
        "8 Commands: too late", "A command whose `until` has passed is not done, and answered with 3.", command.late
    ),
    Obligation(
        "8 Commands: report count",
        "The list of a count comes before its Reply, whole; with result 1 or 2 there is none.",
        command.counted,
    ),
    Obligation(
        "3 Boot id: restart",
        "A restart is a new boot, numbered from 1; what was kept of the old one is there, or said to be gone.",
        command.restarted,
    ),
    Obligation(
        "5 Faults: latched",
        "A fault stays latched: unlock is refused with 2, and a restart says the fault again under its new boot.",
        command.latched,
    ),
)
_LOST: Final = "the line was lost"


async def play(
    talk: BenchChannel, on_finding: Callable[[ObligationFinding], None] = lambda _: None, only: str = ""
) -> tuple[ObligationFinding, ...]:
    """Play every obligation whose clause contains `only`. A lost line ends the play."""
    found: list[ObligationFinding] = []
    lost = False
    for one in OBLIGATIONS:
        if only not in one.name:
            continue
        finding = one.finding("not played", "the line is lost") if lost else await _played(one, talk)
        lost = lost or finding.words.startswith(_LOST)
        found.append(finding)
        on_finding(finding)
    return tuple(found)


async def _played(one: Obligation[Run], talk: BenchChannel) -> ObligationFinding:
    try:
        await one.check(talk)
    except BrokenObligationError as broken:
        return one.finding("BROKEN", str(broken))
    except NotPlayedError as why:
        return one.finding("not played", str(why))
    except DeviceError as fault:
        return one.finding("BROKEN", f"{_LOST}: {fault}")
    return one.finding("kept")

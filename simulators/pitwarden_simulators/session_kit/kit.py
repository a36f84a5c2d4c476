"""Obligations of a session in the order of play, each with its sentence for the report."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from pitwarden_drivers.api import Driver
from pitwarden_simulators.session_kit import host_checks as host
from pitwarden_simulators.session_kit import identity_checks as identity
from pitwarden_simulators.session_kit import line_checks as line
from pitwarden_simulators.session_kit.bench import SessionRaisedError
from pitwarden_simulators.session_kit.device import DeviceMaker
from pitwarden_simulators.session_kit.play import BrokenPromiseError, NotPlayableError, SessionPlay


@dataclass(frozen=True, slots=True)
class SessionObligation:
    """Obligation of a session: its name, the sentence of the report, and the check that plays it."""

    name: str
    sentence: str
    check: Callable[[SessionPlay], None]


OBLIGATIONS: Final[tuple[SessionObligation, ...]] = (
    SessionObligation(
        "identity: reported", "The device is identified and reported with its serial number.", identity.reported
    ),
    SessionObligation("identity: late", "A device that is switched on late is identified.", identity.late),
    SessionObligation(
        "identity: wrong serial", "Another serial number raises IdentityMismatchError.", identity.other_serial
    ),
    SessionObligation(
        "identity: wrong firmware", "Firmware that is not listed raises IdentityMismatchError.", identity.other_firmware
    ),
    SessionObligation(
        "identity: first", "No event is reported before the device is identified.", identity.nothing_before
    ),
    SessionObligation("identity: again", "A new dialogue identifies the device again.", host.identified_anew),
    SessionObligation("events: order", "On a good line each event is reported once and in order.", line.order),
    SessionObligation(
        "events: acknowledged", "An event is acknowledged when it is stored, and not before.", host.acknowledged
    ),
    SessionObligation("line: splitting", "Messages may arrive in parts of any size.", line.splitting),
    SessionObligation("line: garbage", "Noise costs the message that it touches, and no other.", line.noise),
    SessionObligation("line: damage", "A damaged message is not an event.", line.damage),
    SessionObligation("line: loss", "A lost message is repeated by its device, or is missing alone.", line.loss),
    SessionObligation("line: duplication", "A message that arrives twice counts once.", line.duplication),
    SessionObligation(
        "line: babble", "Endless noise gives no event, fills no memory, and ends without harm.", line.babble
    ),
    SessionObligation(
        "device: restart", "A device that restarts is used again, in new positions.", host.restarted_device
    ),
    SessionObligation("device: silence", "A device that falls silent raises DeviceSilentError.", host.silent_device),
    SessionObligation(
        "host: restart", "A host that dies loses no event in silence and counts none twice.", host.restarted_host
    ),
    SessionObligation("host: slow", "A host that does nothing for seconds finds every event.", host.slow_host),
    SessionObligation("commands: outcome", "Each command has one outcome.", host.commanded),
    SessionObligation("time: wake-ups", "A tick does not ask for the next one at once.", host.waking),
    SessionObligation(
        "secrecy: texts", "No reason, error or repr contains a message that carries a card.", host.secret
    ),
)
Outcome = Literal["kept", "BROKEN", "not played"]


@dataclass(frozen=True, slots=True)
class SessionFinding:
    """Result of one obligation; `words` is the reason when it is not kept."""

    name: str
    sentence: str
    outcome: Outcome
    words: str = ""

    def line(self) -> str:
        """Return the finding as one line."""
        return f"{self.outcome:10}  {self.name:24}  {self.words or self.sentence}"


def play_session(driver: Driver, make: DeviceMaker, seed: int = 1, only: str = "") -> Iterator[SessionFinding]:
    """Yield the finding of each obligation whose name contains `only`."""
    play = SessionPlay(driver, make, seed)
    for one in OBLIGATIONS:
        if only in one.name:
            yield _played(one, play)


def _played(one: SessionObligation, play: SessionPlay) -> SessionFinding:
    try:
        one.check(play)
    except (BrokenPromiseError, SessionRaisedError) as broken:
        return SessionFinding(one.name, one.sentence, "BROKEN", str(broken))
    except NotPlayableError as why:
        return SessionFinding(one.name, one.sentence, "not played", str(why))
    return SessionFinding(one.name, one.sentence, "kept")

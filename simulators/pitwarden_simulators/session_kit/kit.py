"""Obligations of a session in the order of play, each with its sentence for the report."""

from collections.abc import Callable, Iterator
from typing import Final

from pitwarden_drivers.api import Driver
from pitwarden_simulators.obligations import Obligation, ObligationFinding
from pitwarden_simulators.session_kit import host_checks as host
from pitwarden_simulators.session_kit import identity_checks as identity
from pitwarden_simulators.session_kit import line_checks as line
from pitwarden_simulators.session_kit.bench import SessionRaisedError
from pitwarden_simulators.session_kit.device import DeviceMaker
from pitwarden_simulators.session_kit.play import BrokenPromiseError, NotPlayableError, SessionPlay

SessionCheck = Callable[[SessionPlay], None]
NAME_WIDTH: Final = 24  # columns of the longest name
OBLIGATIONS: Final[tuple[Obligation[SessionCheck], ...]] = (
    Obligation(
        "identity: reported", "The device is identified and reported with its serial number.", identity.reported
    ),
    Obligation("identity: late", "A device that is switched on late is identified.", identity.late),
    Obligation("identity: wrong serial", "Another serial number raises IdentityMismatchError.", identity.other_serial),
    Obligation(
        "identity: wrong firmware", "Firmware that is not listed raises IdentityMismatchError.", identity.other_firmware
    ),
    Obligation("identity: first", "No event is reported before the device is identified.", identity.nothing_before),
    Obligation("identity: again", "A new dialogue identifies the device again.", host.identified_anew),
    Obligation("events: order", "On a good line each event is reported once and in order.", line.order),
    Obligation(
        "events: acknowledged", "An event is acknowledged when it is stored, and not before.", host.acknowledged
    ),
    Obligation("line: splitting", "Messages may arrive in parts of any size.", line.splitting),
    Obligation("line: garbage", "Noise costs the message that it touches, and no other.", line.noise),
    Obligation("line: damage", "A damaged message is not an event.", line.damage),
    Obligation("line: loss", "A lost message is repeated by its device, or is missing alone.", line.loss),
    Obligation("line: duplication", "A message that arrives twice counts once.", line.duplication),
    Obligation("line: babble", "Endless noise gives no event, fills no memory, and ends without harm.", line.babble),
    Obligation("device: restart", "A device that restarts is used again, in new positions.", host.restarted_device),
    Obligation("device: silence", "A device that falls silent raises DeviceSilentError.", host.silent_device),
    Obligation(
        "host: restart", "A host that dies loses no event in silence and counts none twice.", host.restarted_host
    ),
    Obligation("host: slow", "A host that does nothing for seconds finds every event.", host.slow_host),
    Obligation("commands: outcome", "Each command has one outcome.", host.commanded),
    Obligation("time: wake-ups", "A tick does not ask for the next one at once.", host.waking),
    Obligation("secrecy: texts", "No reason, error or repr contains a message that carries a card.", host.secret),
)


def play_session(driver: Driver, make: DeviceMaker, seed: int = 1, only: str = "") -> Iterator[ObligationFinding]:
    """Yield the finding of each obligation whose name contains `only`."""
    play = SessionPlay(driver, make, seed)
    for one in OBLIGATIONS:
        if only in one.name:
            yield _played(one, play)


def _played(one: Obligation[SessionCheck], play: SessionPlay) -> ObligationFinding:
    try:
        one.check(play)
    except (BrokenPromiseError, SessionRaisedError) as broken:
        return one.finding("BROKEN", str(broken))
    except NotPlayableError as why:
        return one.finding("not played", str(why))
    return one.finding("kept")

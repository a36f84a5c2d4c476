"""Checks of the host and of time: restarts, silence, a slow host, commands, wake-ups, and secrecy."""

from typing import Final, get_args

from pitwarden_client.events.device import CommandName, DeviceCommand, DeviceIdentified
from pitwarden_drivers.errors import DeviceSilentError
from pitwarden_simulators.session_kit.bench import SessionBench
from pitwarden_simulators.session_kit.play import AFTER, APART_MS, EVENTS, NotPlayableError, SessionPlay, check

_SILENCE_MS: Final = 60_000
_OUTCOME_MS: Final = 30_000
_SLOW_MS: Final = 10_000
_STALL_MS: Final = 2_500
_AT_ONCE: Final = 4


def acknowledged(play: SessionPlay) -> None:
    """Check that the device keeps an event until the log has it."""
    if not play.keeps:
        raise NotPlayableError("the device does not keep its events")
    bench = play.ready()
    bench.commit_ms = _SLOW_MS
    for _ in range(AFTER):
        bench.device.happen()
    kept = bench.device.kept
    bench.run(_SLOW_MS // 2)
    check(bench.device.kept >= kept, "an event is acknowledged before the log has stored it")
    bench.run(_SLOW_MS * (AFTER + 2))
    check(not bench.device.kept, "an event that the log has stored is not acknowledged")


def restarted_device(play: SessionPlay) -> None:
    """Check that a device that restarts is used again, and that no position of the log is used twice."""
    bench = play.ready()
    play.cause(bench, AFTER)
    bench.run(_SLOW_MS)
    before = len([one for one in bench.log if one.counter])
    bench.powered = False
    bench.run(1_000)
    bench.device.restart()
    bench.powered = True
    bench.run(_SLOW_MS)
    check(bench.identified(), "the device is not identified within 30 s after its restart")
    play.cause(bench, AFTER)
    bench.run(_SLOW_MS * 2)
    after = [one for one in bench.log if one.counter][before:]
    check(len(after) >= AFTER, f"{AFTER} acts after a restart of the device gave {len(after)} events or doubts")
    places = [(one.boot, one.counter) for one in bench.log if one.counter]
    check(places == sorted(set(places)), "a position (boot, counter) of the log is used twice after a restart")


def silent_device(play: SessionPlay) -> None:
    """Check that a device that falls silent is noticed."""
    bench = play.ready()
    bench.run(_SILENCE_MS)
    check(not bench.faults, f"an idle device ends the dialogue: {type(bench.faults[-1:] or None).__name__}")
    sent, heard = bench.sent, bench.heard
    bench.run(_SILENCE_MS)
    if bench.heard == heard and bench.sent == sent:
        raise NotPlayableError(
            "neither side sends anything while nothing happens: a dead device looks like an idle one"
        )
    bench.powered = False
    bench.run(_SILENCE_MS)
    check(
        any(isinstance(fault, DeviceSilentError) for fault in bench.faults),
        "a device that is switched off raises no DeviceSilentError within 60 s",
    )


def restarted_host(play: SessionPlay) -> None:
    """Check a host that dies at any moment: nothing twice, nothing lost in silence."""
    for salt in range(3):
        random = play.random(salt)
        bench = play.ready()
        for _ in range(EVENTS):
            bench.device.happen()
            bench.run(random.randrange(0, APART_MS, 10))
            if random.random() < 1 / 3:
                bench.kill_host()
        play.heal_and_judge(bench)


def slow_host(play: SessionPlay) -> None:
    """Check a host that does nothing for seconds and finds everything at once."""
    bench = play.ready()
    for _ in range(0, EVENTS, _AT_ONCE):
        for _ in range(_AT_ONCE):
            bench.device.happen()
        bench.stall(_STALL_MS)
        bench.run(APART_MS)
    play.heal_and_judge(bench)
    check(
        len(bench.events()) + bench.doubts() >= len(play.truth), "events are lost while the host does nothing for 2.5 s"
    )


def commanded(play: SessionPlay) -> None:
    """Check that each command has one outcome: before identification, on a good line and on a dead one."""
    for at, command in enumerate(get_args(CommandName)):
        unknown = play.bench()
        unknown.powered = False
        unknown.run(1_000)
        unknown.command(f"early-{at}", command)
        _one_outcome(unknown, f"early-{at}", f"{command} before identification")
        known = play.ready()
        known.command(f"good-{at}", command)
        _one_outcome(known, f"good-{at}", f"{command} on a good line")
        dead = play.ready()
        dead.powered = False
        dead.command(f"dead-{at}", command)
        _one_outcome(dead, f"dead-{at}", f"{command} on a dead line", or_fault=True)


def _one_outcome(bench: SessionBench, request: str, what: str, *, or_fault: bool = False) -> None:
    bench.run(_OUTCOME_MS)
    said = [one.said for one in bench.reports if isinstance(one.said, DeviceCommand) and one.said.request == request]
    check(len(said) == 1 or (or_fault and not said and bool(bench.faults)), f"{what} has {len(said)} outcomes, not one")


def waking(play: SessionPlay) -> None:
    """Check that a tick does not ask for itself at once, again and again."""
    bench = play.ready()
    play.cause(bench, AFTER)
    bench.run(_SILENCE_MS)
    check(
        bench.spins * 10 <= max(bench.ticks, 10),
        f"{bench.spins} of {bench.ticks} ticks ask for the next one at a time that has passed",
    )


def secret(play: SessionPlay) -> None:
    """Check that no reason, error or repr contains a part of a message that carries a card."""
    play.truth  # noqa: B018  its play is searched too
    cards = {run.decode("ascii") for bench in play.benches for run in bench.card_bytes}
    if not cards:
        raise NotPlayableError("the device sends no cards in printable text")
    texts = [text for bench in play.benches for text in bench.texts]
    shown = sum(any(card in text for card in cards) for text in texts)
    check(not shown, f"{shown} of {len(texts)} texts contain a message that carries a card")


def identified_anew(play: SessionPlay) -> None:
    """Check that each new dialogue identifies the device again."""
    bench = play.ready()
    for _ in range(AFTER):
        bench.run(1_000)
        bench.kill_host()
        check(bench.identified(), "the device is not identified within 30 s in a new dialogue")
    bench.run(1_000)
    found = sum(isinstance(one.said, DeviceIdentified) for one in bench.reports)
    check(found > AFTER, f"{AFTER + 1} dialogues reported device.identified {found} times")

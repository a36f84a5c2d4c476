"""Checks of the line: cuts, noise, damage, loss, repetition, and a line that never stops."""

import tracemalloc

from pitwarden.system.clock import SystemClock
from pitwarden_simulators.ports.line_faults import LineFault, combined, drop, duplicate, split
from pitwarden_simulators.session_kit.bench import SessionBench
from pitwarden_simulators.session_kit.play import (
    AFTER,
    APART_MS,
    EVENTS,
    SETTLE_MS,
    NotPlayableError,
    SessionPlay,
    check,
)

_SHARE = 0.2
_HIGHEST_BIT = 0x80
_FLOOD_BYTES = 1_000_000
# Noise by chance, in one go. Much more of it contains good frames of any protocol whose check has eight bits.
_NOISE_BYTES = 2_000
_CHUNK = 4_096
# A frame, a line or a list under way, and what the interpreter allocates besides: far below what a flood would fill.
_MOST_HELD = 150_000
# For a megabyte in one piece, in ms. Linear work takes about 1,000 on a slow machine, quadratic work minutes or hours.
_MOST_MS = 10_000


def order(play: SessionPlay) -> None:
    """Check a good line: every event, once, in order."""
    bench = play.ready()
    play.cause(bench, EVENTS)
    play.heal_and_judge(bench)
    check(len(play.truth) >= EVENTS, f"{EVENTS} acts of the device gave {len(play.truth)} events")
    check(not bench.doubts(), f"{bench.doubts()} events of a good line are doubtful, unknown or missing")


def splitting(play: SessionPlay) -> None:
    """Check that single bytes, and cuts anywhere, give the same events."""
    _needs_bytes(play)
    for cut in (_bytewise, split(play.random())):
        bench = play.ready()
        bench.to_host = cut
        play.cause(bench, EVENTS + AFTER)
        bench.run(SETTLE_MS)
        check(tuple(bench.events()) == play.truth, "messages that arrive in parts give other events")


def _bytewise(chunk: bytes) -> list[bytes]:
    return [chunk[at : at + 1] for at in range(len(chunk))]


def noise(play: SessionPlay) -> None:
    """Check that noise between messages costs no more than the message that it touches."""
    _needs_bytes(play)
    random = play.random(1)
    bench = play.ready()

    def make_noise() -> None:
        bench.carry(bytes(random.randrange(_HIGHEST_BIT, 0x100) for _ in range(random.randint(1, 9))))

    play.cause(bench, EVENTS, make_noise)
    play.heal_and_judge(bench)


def damage(play: SessionPlay) -> None:
    """Check that damaged messages are not events. Damage sets the highest bit, so no control byte comes of it."""
    _needs_bytes(play)
    for salt in range(3):
        play.play_faults(_damaged(play, salt), _damaged(play, salt + 10))


def _damaged(play: SessionPlay, salt: int) -> LineFault:
    random = play.random(salt)

    def apply(chunk: bytes) -> list[bytes]:
        if not chunk or random.random() >= _SHARE:
            return [chunk]
        at = random.randrange(len(chunk))
        return [chunk[:at] + bytes((chunk[at] ^ _HIGHEST_BIT,)) + chunk[at + 1 :]]

    return apply


def loss(play: SessionPlay) -> None:
    """Check lost messages in both directions."""
    for salt in range(3):
        play.play_faults(drop(play.random(salt), _SHARE), drop(play.random(salt + 10), _SHARE))


def duplication(play: SessionPlay) -> None:
    """Check messages that arrive twice, in both directions."""
    if not play.keeps:
        raise NotPlayableError("the device does not keep its messages, so nothing shows a repetition")
    for salt in range(3):
        play.play_faults(duplicate(play.random(salt), _SHARE), duplicate(play.random(salt + 10), _SHARE))


def babble(play: SessionPlay) -> None:
    """Check that a flood of noise, and an endless message, give no event, fill no memory and end."""
    _needs_bytes(play)
    bench = play.ready()
    kept = len(bench.events())
    _flooded(bench, play.random(2).randbytes(_NOISE_BYTES))
    head = _first_bytes(play)
    held = _flooded(bench, head + b"A" * 2 * _MOST_HELD)
    check(len(bench.events()) == kept, "noise is reported as an event")
    check(held < _MOST_HELD, f"{held} bytes of an endless message are held")
    took = _in_one_piece(bench, head + b"A" * _FLOOD_BYTES)
    check(took < _MOST_MS, f"a megabyte that arrives in one piece takes {took} ms, during which the service waits")
    bench.to_host = combined()
    bench.run(60_000)
    play.cause(bench, EVENTS)
    play.heal_and_judge(bench)


def _in_one_piece(bench: SessionBench, data: bytes) -> int:
    """Return how many real milliseconds the session takes for `data`, as a host that was busy delivers it."""
    clock = SystemClock()
    begun = clock.mono_ms()
    bench.carry(data)
    return clock.mono_ms() - begun


def _first_bytes(play: SessionPlay) -> bytes:
    """Return the first bytes of a message of the device, with which an endless message begins."""
    taken: list[bytes] = []
    bench = play.ready()

    def tap(chunk: bytes) -> list[bytes]:
        taken.append(chunk)
        return [chunk]

    bench.to_host = tap
    bench.device.happen()
    bench.run(APART_MS)
    return (taken or [b""])[0][:2]


def _flooded(bench: SessionBench, data: bytes) -> int:
    """Carry `data` and return how many bytes of memory it left behind."""
    tracemalloc.start()
    try:
        start, _ = tracemalloc.get_traced_memory()
        for at in range(0, len(data), _CHUNK):
            bench.carry(data[at : at + _CHUNK])
            bench.reports.clear()
            bench.faults.clear()
            bench.texts.clear()
        end, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return end - start


def _needs_bytes(play: SessionPlay) -> None:
    if play.make().whole_records:
        raise NotPlayableError("its port delivers complete records")

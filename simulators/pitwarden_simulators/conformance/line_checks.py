"""Checks of clauses 2 and 3: frames on a bad line, escaping, and bodies with the form of their tables."""

from pitwarden_drivers.framing.stuffed import BadFrame
from pitwarden_drivers.tdp.frames_device import IdentityFrame
from pitwarden_drivers.tdp.frames_host import IdentifyFrame
from pitwarden_drivers.tdp.wire import MalformedFrame, UnknownFrame, encode
from pitwarden_simulators.conformance.channel import ANSWER_MS, BenchChannel, check, must

_BURST = 50


async def escaped(talk: BenchChannel) -> None:
    """Check that 7E, 7D, 11 and 13 are escaped in frames."""
    talk.raw.clear()
    talk.token = 0x11137D7E - 1
    await talk.identify()
    await talk.listen(ANSWER_MS)
    check(not {0x11, 0x13} & set(talk.raw), "11 or 13 was sent unescaped")


async def whole(talk: BenchChannel) -> None:
    """Check that every byte belongs to a good frame that TDP 1 defines."""
    await talk.identify()
    await talk.listen(2 * ANSWER_MS)
    kinds = [
        type(frame).__name__ for _, frame in talk.heard if isinstance(frame, BadFrame | MalformedFrame | UnknownFrame)
    ]
    check(not kinds, f"{len(kinds)} of {len(talk.heard)} frames are none, broken or unknown")


async def torn(talk: BenchChannel) -> None:
    """Check frames in pieces, noise and torn frames."""
    await talk.identify()
    for at, noise in enumerate((b"", b"\xff\x00noise", encode(IdentifyFrame(1))[:6])):
        token = 0xA0 + at
        data = noise + encode(IdentifyFrame(token))
        for byte in data if not noise else (data,):
            talk.wire.send(bytes((byte,)) if isinstance(byte, int) else byte)
        found = await talk.first(IdentityFrame, ANSWER_MS, lambda frame, token=token: frame.token == token)  # type: ignore[misc]
        must(found, "an Identify " + ("in single bytes" if not noise else "behind noise") + " was not answered")


async def checked(talk: BenchChannel) -> None:
    """Check that a frame with a wrong CRC is dropped."""
    await talk.identify()
    frame = bytearray(encode(IdentifyFrame(0x5A5A)))
    frame[-2] ^= 0x01
    talk.wire.send(bytes(frame))
    found = await talk.first(IdentityFrame, ANSWER_MS, lambda one: one.token == 0x5A5A)  # noqa: PLR2004  as above
    check(found is None, "an Identify with a wrong CRC was answered")


async def burst(talk: BenchChannel) -> None:
    """Check that no frame is lost at full speed."""
    await talk.identify()
    talk.send(*(IdentifyFrame(0xB000 + at) for at in range(_BURST)))
    heard = await talk.listen(2 * ANSWER_MS)
    tokens = {frame.token for frame in heard if isinstance(frame, IdentityFrame)}
    missing = [at for at in range(_BURST) if 0xB000 + at not in tokens]
    check(not missing, f"{len(missing)} of {_BURST} Identify sent in one go were not answered")

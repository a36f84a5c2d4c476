"""Stateless defects: one small change to bytes or to a frame."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from pitwarden_drivers.framing.stuffed import FLAG, Framer, GoodFrame, encode_frame
from pitwarden_drivers.tdp.frames_device import EventFrame
from pitwarden_drivers.tdp.frames_host import CommandFrame
from pitwarden_drivers.tdp.wire import Frame
from pitwarden_simulators.conformance.defect import Defect, every


def unescaped(data: bytes) -> bytes:
    """Send 11 and 13 unescaped."""
    return data.replace(b"\x7d\x31", b"\x11").replace(b"\x7d\x33", b"\x13")


def crc_mended(data: bytes) -> bytes:
    """Accept a frame with a wrong CRC."""
    parts = [part for part in data.split(bytes((FLAG,))) if part]
    framer = Framer()
    whole = framer.feed(data)
    if len(parts) == 1 and whole and not isinstance(whole[0], GoodFrame):
        return encode_frame(parts[0][:-4].replace(b"\x7d\x31", b"\x11").replace(b"\x7d\x33", b"\x13"))
    return data


def deaf_to_noise(data: bytes) -> bytes:
    """Discard input that begins with noise completely."""
    return data if data[:1] == bytes((FLAG,)) or len(data) == 1 else b""


def hole(frame: EventFrame) -> Iterable[Frame]:
    """Lose every fifth event."""
    return () if frame.counter % 5 == 3 else (frame,)  # noqa: PLR2004  as above


def field(kind: type[Frame], name: str, wrong: Callable[[int], int]) -> Defect:
    """Falsify one number in the device's frames of `kind`."""
    return Defect(outward=every(kind, lambda one: (replace(one, **{name: wrong(getattr(one, name))}),)))


def chatty(data: bytes) -> bytes:
    """Add a frame that TDP 1 does not define to every output."""
    return data + encode_frame(b"\xee") if data else data


def late_commands(frame: CommandFrame) -> Iterable[Frame]:
    """Ignore the deadline of a command."""
    return (replace(frame, until=0),)


def dropped(_frame: Frame) -> Iterable[Frame]:
    """Drop the frame."""
    return ()

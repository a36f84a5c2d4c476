"""What goes wrong on the way between an honest simulated device and its line, one small change each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from pitwarden_drivers.framing.stuffed import FLAG, Framer, Good, wrap
from pitwarden_drivers.tdp.wire import Broken, Frame, Unknown, decode, encode
from pitwarden_drivers.tdp.wire_device import Backlog, Event, Heartbeat, Identity, Reply
from pitwarden_drivers.tdp.wire_host import Ack, Command, Resume
from pitwarden_drivers.tdp.wire_list import Begin, End, Items
from pitwarden_simulators.devices.api import SimulatedDevice

Change = Callable[[Frame], Iterable[Frame]]
Bytes = Callable[[bytes], bytes]


def _same(frame: Frame) -> Iterable[Frame]:
    return (frame,)


def _plain(data: bytes) -> bytes:
    return data


@dataclass(frozen=True)
class Slip:
    """What goes wrong: with frames to and from the device, with the bytes of both, or in its memory."""

    inward: Change = _same
    outward: Change = _same
    bytes_in: Bytes = _plain
    bytes_out: Bytes = _plain


class Slipping:
    """A device behind a slip; see `SimulatedDevice`."""

    def __init__(self, device: SimulatedDevice, slip: Slip) -> None:
        self._device = device
        self._slip = slip
        self._in, self._out = Framer(), Framer()

    def receive(self, now: int, data: bytes) -> bytes:
        """Bytes from the host."""
        frames = self._frames(self._in, self._slip.bytes_in(data), self._slip.inward)
        return self._said(self._device.receive(now, frames))

    def tick(self, now: int) -> bytes:
        """Time has come."""
        return self._said(self._device.tick(now))

    def wake_at(self, now: int) -> int | None:
        """When `tick` wants to be called."""
        return self._device.wake_at(now)

    def _said(self, data: bytes) -> bytes:
        return self._slip.bytes_out(self._frames(self._out, data, self._slip.outward))

    @staticmethod
    def _frames(framer: Framer, data: bytes, change: Change) -> bytes:
        found = (decode(one.content) for one in framer.feed(data) if isinstance(one, Good))
        return b"".join(encode(*change(frame)) for frame in found if not isinstance(frame, Unknown | Broken))


def every(kind: type[Frame], change: Callable[..., Iterable[Frame]]) -> Change:
    """`change` for frames of `kind`, the others as they are."""
    return lambda frame: change(frame) if isinstance(frame, kind) else (frame,)


def unescaped(data: bytes) -> bytes:
    """11 and 13 go out as they are."""
    return data.replace(b"\x7d\x31", b"\x11").replace(b"\x7d\x33", b"\x13")


def crc_mended(data: bytes) -> bytes:
    """A receiver that believes a frame whatever its CRC."""
    parts = [part for part in data.split(bytes((FLAG,))) if part]
    framer = Framer()
    whole = framer.feed(data)
    if len(parts) == 1 and whole and not isinstance(whole[0], Good):
        return wrap(parts[0][:-4].replace(b"\x7d\x31", b"\x11").replace(b"\x7d\x33", b"\x13"))
    return data


def deaf_to_noise(data: bytes) -> bytes:
    """What begins with noise is thrown away whole."""
    return data if data[:1] == bytes((FLAG,)) or len(data) == 1 else b""


def thirds() -> Slip:
    """Two of three heartbeats are left out."""
    beats = iter(range(1_000_000))
    return Slip(outward=every(Heartbeat, lambda frame: (frame,) if next(beats) % 3 == 0 else ()))


def repeating() -> Slip:
    """The last event is sent again with each heartbeat."""
    last: list[Event] = []

    def outward(frame: Frame) -> Iterable[Frame]:
        if isinstance(frame, Event):
            last[:] = [frame]
        return (frame, *last) if isinstance(frame, Heartbeat) else (frame,)

    return Slip(outward=outward)


def impatient() -> Slip:
    """Each Identify is followed by a Resume that no host sent; its Backlog is swallowed."""
    own: list[int] = []

    def outward(frame: Frame) -> Iterable[Frame]:
        if isinstance(frame, Identity):
            own[:] = [frame.boot]
        return (frame,)

    def inward(frame: Frame) -> Iterable[Frame]:
        early = (Resume(own[0], 0),) if own and type(frame).__name__ == "Identify" else ()
        return (frame, *early)

    return Slip(inward, outward)


def first_resume_wins() -> Slip:
    """The second of two Resume in one go is answered with what the first asked for."""

    def bytes_in(data: bytes) -> bytes:
        found = [decode(one.content) for one in Framer().feed(data) if isinstance(one, Good)]
        resumes = [frame for frame in found if isinstance(frame, Resume)]
        return encode(resumes[1], resumes[0]) if len(resumes) == 2 else data  # noqa: PLR2004  two, as it says

    return Slip(bytes_in=bytes_in)


def sleepy() -> Slip:
    """New events wait until they are asked for."""
    asked: list[int] = [0]

    def outward(frame: Frame) -> Iterable[Frame]:
        if isinstance(frame, Backlog):
            asked[0] = frame.last
        return () if isinstance(frame, Event) and frame.counter > asked[0] else (frame,)

    return Slip(outward=outward)


def once_only() -> Slip:
    """A repeated request is not answered."""
    seen: set[int] = set()

    def inward(frame: Frame) -> Iterable[Frame]:
        if not isinstance(frame, Command):
            return (frame,)
        known = frame.request in seen
        seen.add(frame.request)
        return () if known else (frame,)

    return Slip(inward)


def reply_first() -> Slip:
    """A count's list comes behind its Reply."""
    held: list[Frame] = []

    def outward(frame: Frame) -> Iterable[Frame]:
        if (
            isinstance(frame, Begin | Items | End)
            and (not isinstance(frame, Begin) or frame.boot == 0)
            and (held or isinstance(frame, Begin))
        ):
            held.append(frame)
            return ()
        if isinstance(frame, Reply) and held:
            late, held[:] = tuple(held), []
            return (frame, *late)
        return (frame,)

    return Slip(outward=outward)


def hole(frame: Event) -> Iterable[Frame]:
    """Every fifth event is lost for good."""
    return () if frame.counter % 5 == 3 else (frame,)  # noqa: PLR2004  as above


def acks_all() -> Slip:
    """An Ack for whatever boot makes it forget all of its own."""
    own: list[int] = [0]

    def outward(frame: Frame) -> Iterable[Frame]:
        if isinstance(frame, Identity):
            own[0] = frame.boot
        return (frame,)

    return Slip(every(Ack, lambda frame: (frame if frame.boot == own[0] else Ack(own[0], 2**32 - 1),)), outward)


def changing() -> Slip:
    """It says another firmware each time."""
    counts = iter(range(1_000_000))
    return Slip(outward=every(Identity, lambda one: (replace(one, firmware=f"1.{next(counts)}"),)))


def field(kind: type[Frame], name: str, wrong: Callable[[int], int]) -> Slip:
    """One number of the device's frames of `kind` is wrong."""
    return Slip(outward=every(kind, lambda one: (replace(one, **{name: wrong(getattr(one, name))}),)))


def chatty(data: bytes) -> bytes:
    """A frame that TDP 1 does not define follows whatever is sent."""
    return data + wrap(b"\xee") if data else data


def late_commands(frame: Command) -> Iterable[Frame]:
    """It does not look at the clock."""
    return (replace(frame, until=0),)


def dropped(_frame: Frame) -> Iterable[Frame]:
    """It never arrives."""
    return ()

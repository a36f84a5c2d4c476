"""Each event of the device once and in order (SPEC.md sections 1, 5; B16, B24): holes asked for, losses said."""

from typing import Final

from pitwarden_client.events.device import DeviceGap, DeviceRestarted, DeviceUnknown

from pitwarden_drivers.api import Said
from pitwarden_drivers.faults import DeviceSilent
from pitwarden_drivers.tdp.outbox import Outbox
from pitwarden_drivers.tdp.stream import Stream, Verdict
from pitwarden_drivers.tdp.wire_device import Backlog, Heartbeat, Identity
from pitwarden_drivers.tdp.wire_host import Ack, Resume

REPEAT_MS: Final = 500
MAX_RESUMES: Final = 10


class Delivery:
    """The position in the device's events, and what is done to move it."""

    def __init__(self, out: Outbox, boot: int, counter: int) -> None:
        self.stream = Stream(boot, counter)
        self._out = out
        self._present = 0
        self._then = 0
        self._repeat_at: int | None = None
        self._resumes = 0
        self._stored: tuple[int, int] | None = None
        self._unknown: set[int] = set()

    @property
    def wake_at(self) -> int | None:
        """When to ask again for what was not answered."""
        return self._repeat_at

    def start(self, now: int, identity: Identity) -> None:
        """The device is identified: takes up where the log left off."""
        self._present = identity.boot
        if self._stored is not None:
            self._out.send(Ack(*self._stored))
        self._resumes = 0
        self.resume(now)

    def pause(self) -> None:
        """Sends nothing more until the device is identified again."""
        self._present = 0
        self._repeat_at = None

    def tick(self, now: int) -> None:
        """Asks again when the time has come."""
        if self._repeat_at is not None and now >= self._repeat_at:
            self.resume(now)

    def resume(self, now: int) -> None:
        """Asks for all events after the position; DeviceSilent when that brought nothing many times over."""
        self._resumes += 1
        if self._resumes > MAX_RESUMES:
            wanted = self.stream.counter + 1
            raise DeviceSilent(f"it never sent event {wanted}, asked {MAX_RESUMES} times: have the device looked at")
        self._repeat_at = now + REPEAT_MS
        self._out.send(Resume(self.stream.boot, self.stream.counter))

    def place(self, now: int, boot: int, counter: int) -> Verdict:
        """How an event stands to the position; a hole is asked for."""
        verdict = self.stream.judge(boot, counter)
        if verdict == "old":
            self._out.duplicate()
        elif verdict == "hole" and self._repeat_at is None:
            self.resume(now)
        elif verdict == "elsewhere" and boot == self._present:
            self._out.rejected()  # it was sent before its boot was asked for; it comes again
            return "old"
        return verdict

    def accept(self, now: int, said: Said) -> None:
        """The next event says `said`; an unknown kind is reported once, and then stored with its neighbour."""
        self.stream.advance()
        self._resumes = 0
        if isinstance(said, DeviceUnknown) and said.code in self._unknown:
            self.stream.hush()
            if self._stored == (self.stream.boot, self.stream.counter - 1):
                self.committed(*self._stored)
        else:
            self._out.report(self.stream.boot, self.stream.counter, said)
        if isinstance(said, DeviceUnknown):
            self._unknown.add(said.code)
        self._go_on(now)

    def strange(self, code: int) -> None:
        """The device sent a frame that TDP 1 does not define: said once a code."""
        if code not in self._unknown:
            self._unknown.add(code)
            self._out.report(self._present, 0, DeviceUnknown(code=code))

    def backlog(self, now: int, frame: Backlog) -> None:
        """The device said what it still has: what it lost is reported, what follows is awaited."""
        if frame.boot != self.stream.boot or (frame.first == 0 and frame.boot == self._present):
            self._out.stray()
            return
        self._repeat_at = None
        self._then = frame.then
        lost = self.stream.backlog(frame)
        if lost:
            self._resumes = 0
            self._out.report(frame.boot, lost[-1], DeviceGap(first=lost[0], last=lost[-1]))
        self._go_on(now)

    def beat(self, now: int, frame: Heartbeat) -> bool:
        """Compares what the device sent and keeps with what came and is stored; False when it sent less than came."""
        if self._stored is not None and self._stored[0] == frame.boot and frame.oldest <= self._stored[1]:
            self._out.send(Ack(*self._stored))
        if self.stream.boot != frame.boot or self._repeat_at is not None:
            return True
        if frame.sent > self.stream.counter:
            self.resume(now)
        return frame.sent >= self.stream.counter

    def committed(self, boot: int, counter: int) -> None:
        """Remembers what is stored, and acknowledges it if the device has been identified."""
        self._stored = (boot, self.stream.acknowledged(boot, counter))
        if self._present:
            self._out.send(Ack(*self._stored))

    def _go_on(self, now: int) -> None:
        """Once nothing more comes of an earlier boot: on to the next one. No heartbeat tells what got lost of it."""
        if self.stream.boot == self._present:
            return
        if not self.stream.finished:
            self._repeat_at = now + REPEAT_MS
            return
        following = self.stream.follow(self._then, self._present)
        heard_before = self.stream.boot != 0
        self.stream.begin(following)
        if heard_before:
            self._out.report(following, 0, DeviceRestarted(boot=following))
        self._resumes = 0
        self.resume(now)

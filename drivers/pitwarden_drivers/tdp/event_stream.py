"""Each device event once and in order.

Where the host is in a device's events: one boot at a time, each counter once (SPEC.md sections 1 and 5).

What one turn of the dialogue gathers: frames to send, reports to make, and the tally of what was thrown away.

Each event of the device once and in order (SPEC.md sections 1, 5; B16, B24): holes asked for, losses said.
"""

from dataclasses import replace
from typing import Final, Literal

from pitwarden_client.events.device import DeviceGap, DeviceRestarted, DeviceUnknown
from pitwarden_drivers.api import DeviceReport, LineStats, Said, SessionOutput
from pitwarden_drivers.errors import DeviceSilentError
from pitwarden_drivers.tdp.frames_device import BacklogFrame, HeartbeatFrame, IdentityFrame
from pitwarden_drivers.tdp.frames_host import AckFrame, ResumeFrame
from pitwarden_drivers.tdp.wire import Frame, encode

Verdict = Literal["next", "old", "hole", "elsewhere"]


class StreamPosition:
    """A position (boot, counter), and what the device said about the rest of that boot. Boot 0: never heard."""

    def __init__(self, boot: int, counter: int) -> None:
        self.boot = boot
        self.counter = counter
        self._last: int | None = None
        self._silent: list[range] = []

    def judge(self, boot: int, counter: int) -> Verdict:
        """How event `counter` of `boot` stands to the position."""
        if boot != self.boot:
            return "elsewhere"
        if counter <= self.counter:
            return "old"
        return "next" if counter == self.counter + 1 else "hole"

    def advance(self) -> None:
        """The next event was taken."""
        self.counter += 1

    def hush(self) -> None:
        """The event just taken is not reported: it is acknowledged with the one before it."""
        if self._silent and self._silent[-1].stop == self.counter:
            self._silent[-1] = range(self._silent[-1].start, self.counter + 1)
        else:
            self._silent.append(range(self.counter, self.counter + 1))

    def acknowledged(self, boot: int, counter: int) -> int:
        """The counter to acknowledge once `counter` is stored: silent ones right after it are included."""
        if boot != self.boot:
            return counter
        while self._silent and self._silent[0].start <= counter + 1:
            counter = max(counter, self._silent.pop(0).stop - 1)
        return counter

    def backlog(self, said: BacklogFrame) -> range:
        """Takes the device's answer to Resume; gives the counters that it no longer has."""
        self._last = said.last
        lost = range(self.counter + 1, max(said.first, self.counter + 1))
        self.counter = max(self.counter, said.first - 1)
        return lost

    @property
    def finished(self) -> bool:
        """Whether nothing more will come of an earlier boot."""
        return self._last is not None and self.counter >= self._last

    def begin(self, boot: int) -> None:
        """Goes on at the beginning of `boot`."""
        self.boot, self.counter, self._last = boot, 0, None
        self._silent.clear()

    def follow(self, then: int, present: int) -> int:
        """The boot after this one: the one that the device named, unless that leads back or past the present."""
        return then if self.boot < then < present else present


class SessionOutputBuilder:
    """Filled while the dialogue listens, emptied into a Turn."""

    def __init__(self) -> None:
        self.stats = LineStats()
        self._frames: list[Frame] = []
        self._reports: list[DeviceReport] = []

    def send(self, frame: Frame) -> None:
        """`frame` goes to the device."""
        self._frames.append(frame)

    def report(self, boot: int, counter: int, said: Said) -> None:
        """`said` goes to the log."""
        self._reports.append(DeviceReport(boot, counter, said))

    def turn(self, wake_at: int | None) -> SessionOutput:
        """All that was gathered since the last turn."""
        turn = SessionOutput(encode(*self._frames) if self._frames else b"", tuple(self._reports), wake_at)
        self._frames.clear()
        self._reports.clear()
        return turn

    def rejected(self, size: int = 0) -> None:
        """A frame was no frame, or not what its type says; `size` is what it took on the wire if it was noise."""
        stats = self.stats
        self.stats = replace(stats, frames_rejected=stats.frames_rejected + 1, bytes_dropped=stats.bytes_dropped + size)

    def unsynchronised(self, size: int) -> None:
        """Bytes came before the device was identified."""
        self.stats = replace(self.stats, before_sync=self.stats.before_sync + size)

    def stray(self) -> None:
        """Something answered no question of ours."""
        self.stats = replace(self.stats, stray_replies=self.stats.stray_replies + 1)

    def duplicate(self) -> None:
        """An event came again."""
        self.stats = replace(self.stats, duplicates=self.stats.duplicates + 1)


REPEAT_MS: Final = 500
MAX_RESUMES: Final = 10


class EventDelivery:
    """The position in the device's events, and what is done to move it."""

    def __init__(self, out: SessionOutputBuilder, boot: int, counter: int) -> None:
        self.stream = StreamPosition(boot, counter)
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

    def start(self, now: int, identity: IdentityFrame) -> None:
        """The device is identified: takes up where the log left off."""
        self._present = identity.boot
        if self._stored is not None:
            self._out.send(AckFrame(*self._stored))
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
        """Asks for all events after the position; DeviceSilentError when that brought nothing many times over."""
        self._resumes += 1
        if self._resumes > MAX_RESUMES:
            wanted = self.stream.counter + 1
            raise DeviceSilentError(
                f"it never sent event {wanted}, asked {MAX_RESUMES} times: have the device looked at"
            )
        self._repeat_at = now + REPEAT_MS
        self._out.send(ResumeFrame(self.stream.boot, self.stream.counter))

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

    def backlog(self, now: int, frame: BacklogFrame) -> None:
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

    def beat(self, now: int, frame: HeartbeatFrame) -> bool:
        """Compares what the device sent and keeps with what came and is stored; False when it sent less than came."""
        if self._stored is not None and self._stored[0] == frame.boot and frame.oldest <= self._stored[1]:
            self._out.send(AckFrame(*self._stored))
        if self.stream.boot != frame.boot or self._repeat_at is not None:
            return True
        if frame.sent > self.stream.counter:
            self.resume(now)
        return frame.sent >= self.stream.counter

    def committed(self, boot: int, counter: int) -> None:
        """Remembers what is stored, and acknowledges it if the device has been identified."""
        self._stored = (boot, self.stream.acknowledged(boot, counter))
        if self._present:
            self._out.send(AckFrame(*self._stored))

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

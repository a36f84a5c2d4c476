"""Each device event once and in order (SPEC.md sections 1 and 5; B16, B24).

`StreamPosition` is the host's position: one boot at a time, each counter once. `EventDelivery` requests missing events
and reports lost ones. `SessionOutputBuilder` collects the frames, reports and tallies of one session call.
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
    """Position (boot, counter), and the device's statement about the rest of that boot.

    Boot 0: no event received yet.
    """

    def __init__(self, boot: int, counter: int) -> None:
        self.boot = boot
        self.counter = counter
        self._last: int | None = None
        self._silent: list[range] = []

    def judge(self, boot: int, counter: int) -> Verdict:
        """Return the relation of event `counter` of `boot` to the position."""
        if boot != self.boot:
            return "elsewhere"
        if counter <= self.counter:
            return "old"
        return "next" if counter == self.counter + 1 else "hole"

    def advance(self) -> None:
        """Advance by one event."""
        self.counter += 1

    def skip_report(self) -> None:
        """Mark the accepted event as not reported: it is acknowledged with the one before it."""
        if self._silent and self._silent[-1].stop == self.counter:
            self._silent[-1] = range(self._silent[-1].start, self.counter + 1)
        else:
            self._silent.append(range(self.counter, self.counter + 1))

    def acknowledged(self, boot: int, counter: int) -> int:
        """Return the counter to acknowledge once `counter` is stored: silent events right after it are included."""
        if boot != self.boot:
            return counter
        while self._silent and self._silent[0].start <= counter + 1:
            counter = max(counter, self._silent.pop(0).stop - 1)
        return counter

    def backlog(self, said: BacklogFrame) -> range:
        """Apply the device's answer to Resume and return the counters that it no longer has."""
        self._last = said.last
        lost = range(self.counter + 1, max(said.first, self.counter + 1))
        self.counter = max(self.counter, said.first - 1)
        return lost

    @property
    def finished(self) -> bool:
        """True if no more events of an earlier boot will follow."""
        return self._last is not None and self.counter >= self._last

    def begin(self, boot: int) -> None:
        """Continue at the beginning of `boot`."""
        self.boot, self.counter, self._last = boot, 0, None
        self._silent.clear()

    def follow(self, then: int, present: int) -> int:
        """Return the next boot: the one that the device named, unless that is earlier or past the present."""
        return then if self.boot < then < present else present


class SessionOutputBuilder:
    """Frames, reports and tallies that one session call collects."""

    def __init__(self) -> None:
        self.stats = LineStats()
        self._frames: list[Frame] = []
        self._reports: list[DeviceReport] = []

    def send(self, frame: Frame) -> None:
        """Add a frame for the device."""
        self._frames.append(frame)

    def report(self, boot: int, counter: int, said: Said) -> None:
        """Add an event for the log."""
        self._reports.append(DeviceReport(boot, counter, said))

    def turn(self, wake_at: int | None) -> SessionOutput:
        """Return everything collected since the last call."""
        turn = SessionOutput(encode(*self._frames) if self._frames else b"", tuple(self._reports), wake_at)
        self._frames.clear()
        self._reports.clear()
        return turn

    def rejected(self, size: int = 0) -> None:
        """Count a malformed frame; `size` is its length on the wire in bytes if it was noise."""
        stats = self.stats
        self.stats = replace(stats, frames_rejected=stats.frames_rejected + 1, bytes_dropped=stats.bytes_dropped + size)

    def unsynchronised(self, size: int) -> None:
        """Count bytes that arrived before the device was identified."""
        self.stats = replace(self.stats, before_sync=self.stats.before_sync + size)

    def stray(self) -> None:
        """Count an answer that matches no request."""
        self.stats = replace(self.stats, stray_replies=self.stats.stray_replies + 1)

    def duplicate(self) -> None:
        """Count a repeated event."""
        self.stats = replace(self.stats, duplicates=self.stats.duplicates + 1)


# Time in ms until an unanswered Resume is sent again (SPEC.md section 9).
REPEAT_MS: Final = 500
# Requests for the same event. Then the device counts as silent, and the port is opened again.
MAX_RESUMES: Final = 10


class EventDelivery:
    """Delivery of the device's events: the position, and the requests that move it."""

    def __init__(self, out: SessionOutputBuilder, boot: int, counter: int) -> None:
        self.stream = StreamPosition(boot, counter)
        self._out = out
        self._present = 0
        self._then = 0
        self.wake_at: int | None = None
        """Time of the next repeated request, monotonic ms; None when none is open."""
        self._resumes = 0
        self._stored: tuple[int, int] | None = None
        self._unknown: set[int] = set()

    def start(self, now: int, identity: IdentityFrame) -> None:
        """Resume after the log's last event. The device is identified."""
        self._present = identity.boot
        if self._stored is not None:
            self._out.send(AckFrame(*self._stored))
        self._resumes = 0
        self.resume(now)

    def pause(self) -> None:
        """Send no more requests until the device is identified again."""
        self._present = 0
        self.wake_at = None

    def tick(self, now: int) -> None:
        """Repeat the request when its time has come."""
        if self.wake_at is not None and now >= self.wake_at:
            self.resume(now)

    def resume(self, now: int) -> None:
        """Request all events after the position.

        Raises:
            DeviceSilentError: Repeated requests brought no event.
        """
        self._resumes += 1
        if self._resumes > MAX_RESUMES:
            wanted = self.stream.counter + 1
            raise DeviceSilentError(
                f"it never sent event {wanted}, asked {MAX_RESUMES} times: have the device looked at"
            )
        self.wake_at = now + REPEAT_MS
        self._out.send(ResumeFrame(self.stream.boot, self.stream.counter))

    def place(self, now: int, boot: int, counter: int) -> Verdict:
        """Return the relation of an event to the position, and request missing events."""
        verdict = self.stream.judge(boot, counter)
        if verdict == "old":
            self._out.duplicate()
        elif verdict == "hole" and self.wake_at is None:
            self.resume(now)
        elif verdict == "elsewhere" and boot == self._present:
            self._out.rejected()  # it was sent before its boot was requested and will be sent again
            return "old"
        return verdict

    def accept(self, now: int, said: Said) -> None:
        """Accept the next event. An unknown kind is reported once, and then stored with its neighbor."""
        self.stream.advance()
        self._resumes = 0
        if isinstance(said, DeviceUnknown) and said.code in self._unknown:
            self.stream.skip_report()
            if self._stored == (self.stream.boot, self.stream.counter - 1):
                self.committed(*self._stored)
        else:
            self._out.report(self.stream.boot, self.stream.counter, said)
        if isinstance(said, DeviceUnknown):
            self._unknown.add(said.code)
        self._next_boot(now)

    def unknown_frame(self, code: int) -> None:
        """Report a frame that TDP 1 does not define, once for each code."""
        if code not in self._unknown:
            self._unknown.add(code)
            self._out.report(self._present, 0, DeviceUnknown(code=code))

    def backlog(self, now: int, frame: BacklogFrame) -> None:
        """Handle the device's statement of its stored events: report lost ones, expect the rest."""
        if frame.boot != self.stream.boot or (frame.first == 0 and frame.boot == self._present):
            self._out.stray()
            return
        self.wake_at = None
        self._then = frame.then
        lost = self.stream.backlog(frame)
        if lost:
            self._resumes = 0
            self._out.report(frame.boot, lost[-1], DeviceGap(first=lost[0], last=lost[-1]))
        self._next_boot(now)

    def beat(self, now: int, frame: HeartbeatFrame) -> bool:
        """Compare the device's counters with the events received and stored; False when it sent fewer than received."""
        if self._stored is not None and self._stored[0] == frame.boot and frame.oldest <= self._stored[1]:
            self._out.send(AckFrame(*self._stored))
        if self.stream.boot != frame.boot or self.wake_at is not None:
            return True
        if frame.sent > self.stream.counter:
            self.resume(now)
        return frame.sent >= self.stream.counter

    def committed(self, boot: int, counter: int) -> None:
        """Record the stored position, and acknowledge it if the device has been identified."""
        self._stored = (boot, self.stream.acknowledged(boot, counter))
        if self._present:
            self._out.send(AckFrame(*self._stored))

    def _next_boot(self, now: int) -> None:
        """Continue with the next boot once an earlier one is complete.

        No heartbeat reveals losses of an earlier boot.
        """
        if self.stream.boot == self._present:
            return
        if not self.stream.finished:
            self.wake_at = now + REPEAT_MS
            return
        following = self.stream.follow(self._then, self._present)
        heard_before = self.stream.boot != 0
        self.stream.begin(following)
        if heard_before:
            self._out.report(following, 0, DeviceRestarted(boot=following))
        self._resumes = 0
        self.resume(now)

"""Plain TDP device for the driver tests, written from SPEC.md alone: it stores, resumes, answers, restarts."""

from dataclasses import dataclass, field

from pitwarden_drivers.api import Family, Said
from pitwarden_drivers.framing.stuffed import Framer, GoodFrame
from pitwarden_drivers.tdp.frames_device import BacklogFrame, HeartbeatFrame, IdentityFrame, ReplyFrame
from pitwarden_drivers.tdp.frames_host import AckFrame, CommandFrame, IdentifyFrame, ResumeFrame
from pitwarden_drivers.tdp.frames_list import list_frames
from pitwarden_drivers.tdp.meaning import frames_for_event
from pitwarden_drivers.tdp.wire import Frame, decode, encode


@dataclass
class SpecifiedDevice:
    """Device as specified. `kept` holds unacknowledged events, by boot and counter; `keeps`: through a restart too."""

    family: Family = "shoe"
    serial: str = "N42"
    firmware: str = "2.1.0"
    boot: int = 1
    heartbeat_ms: int = 1_000
    keeps: bool = True
    result: int = 0
    held: bytes = b"\x00\x24\x00\x10"
    mute: bool = False
    newest: dict[int, int] = field(default_factory=dict)
    kept: dict[tuple[int, int], Said] = field(default_factory=dict)
    commands: list[CommandFrame] = field(default_factory=list)
    sent: int = 0
    live: bool = False
    beat_at: int = 0
    framer: Framer = field(default_factory=Framer)
    clock: int = 0
    heard: bytearray = field(default_factory=bytearray)
    unsent: bytearray = field(default_factory=bytearray)

    def receive(self, now: int, data: bytes) -> bytes:
        self.clock = now + 1
        self.heard += data
        answers = [
            self._answer(decode(found.content)) for found in self.framer.feed(data) if isinstance(found, GoodFrame)
        ]
        return b"" if self.mute else b"".join(answers)

    def tick(self, now: int) -> bytes:
        said = bytes(self.unsent)
        self.unsent.clear()
        if now < self.beat_at or self.mute:
            return said
        self.beat_at = now + self.heartbeat_ms
        oldest = min((counter for boot, counter in self.kept if boot == self.boot), default=self.sent + 1)
        return said + encode(HeartbeatFrame(self.boot, oldest, self.sent, now + 1))

    def wake_at(self, now: int) -> int | None:
        return max(now + 20 if self.mute else now, self.beat_at)

    def happens(self, said: Said) -> None:
        """Let an event happen at a device on a port: its bytes leave at the next tick."""
        self.unsent += self.emit(said)

    def emit(self, said: Said) -> bytes:
        """Let an event happen at the device; return the bytes that it sends at once."""
        counter = self.newest[self.boot] = self.newest.get(self.boot, 0) + 1
        self.kept[self.boot, counter] = said
        if not self.live:
            return b""
        self.sent = counter
        return encode(*frames_for_event(self.boot, counter, said))

    def restart(self, boot: int) -> None:
        """Switch the device off and on: a new boot, without the dialogue."""
        self.boot, self.sent, self.live, self.framer, self.beat_at = boot, 0, False, Framer(), 0
        if not self.keeps:
            self.kept.clear()
            self.newest.clear()

    def forget(self, boot: int, counter: int) -> None:
        """Lose an event that was not acknowledged, as a device does whose memory is full."""
        self.kept.pop((boot, counter), None)

    def _answer(self, frame: object) -> bytes:
        match frame:
            case IdentifyFrame(token=token):
                self.live = False
                newest = self.newest.get(self.boot, 0)
                beat, firmware, clock = self.heartbeat_ms, self.firmware, self.clock
                return encode(
                    IdentityFrame(token, self.family, self.boot, newest, beat, self.serial, firmware, clock=clock)
                )
            case ResumeFrame(boot=boot, after=after):
                return self._resume(boot, after)
            case AckFrame(boot=boot, counter=counter):
                if boot in self.newest:
                    order = list(self.newest)
                    earlier = order[: order.index(boot)]
                    for key in [k for k in self.kept if k[0] in earlier or (k[0] == boot and k[1] <= counter)]:
                        del self.kept[key]
                return b""
            case CommandFrame():
                return self._obey(frame)
            case _:
                return b""

    def _resume(self, boot: int, after: int) -> bytes:
        self.live = boot == self.boot
        last = self.newest.get(boot, 0)
        later = sorted({b for b, _ in self.kept if b > boot})
        then = 0 if self.live else (later or [self.boot])[0]
        if last == 0 and not self.live:
            return encode(BacklogFrame(boot, 0, 0, then))
        counters = sorted(c for b, c in self.kept if b == boot and c > after)
        first = counters[0] if counters else max(last, after) + 1
        frames: list[Frame] = [BacklogFrame(boot, first, max(last, after), then)]
        for counter in counters:
            frames += frames_for_event(boot, counter, self.kept[boot, counter])
        if self.live:
            self.sent = max(last, after)
        return encode(*frames)

    def _obey(self, command: CommandFrame) -> bytes:
        if command.until and (command.until - self.clock) % 2**32 >= 2**31:
            return encode(ReplyFrame(command.request, 3))
        if command not in self.commands:
            self.commands.append(command)
        if command.code == 3 and self.result == 0:
            return encode(*list_frames(3, 0, command.request, self.held), ReplyFrame(command.request, 0))
        return encode(ReplyFrame(command.request, self.result))

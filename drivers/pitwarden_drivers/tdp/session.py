"""Dialogue of TDP 1 (SPEC.md): identity first, nothing trusted before it, silence and late answers detected.

`EventIntake` receives events and lists (sections 6 and 7): a list is accepted completely or not at all.

Threat: the line, and a device that restarts, forgets, repeats or answers late.
"""

from typing import Final

from pitwarden_client.events.device import CommandName, DeviceCommand, DeviceIdentified
from pitwarden_client.events.keypad import Lamps
from pitwarden_drivers.api import ExpectedDevice, LineStats, SessionOutput
from pitwarden_drivers.errors import DeviceSilentError
from pitwarden_drivers.framing.stuffed import BadFrame, Framer, GoodFrame
from pitwarden_drivers.tdp.commands import LampRefresher, PendingCommands
from pitwarden_drivers.tdp.event_stream import EventDelivery, SessionOutputBuilder
from pitwarden_drivers.tdp.frames_device import BacklogFrame, EventFrame, HeartbeatFrame, IdentityFrame, ReplyFrame
from pitwarden_drivers.tdp.frames_list import COUNT, STACK, ListAssembler, ListBeginFrame, ListEndFrame, ListItemsFrame
from pitwarden_drivers.tdp.identity import IdentifyRound, verify_identity
from pitwarden_drivers.tdp.meaning import count_from_compartments, event_from_payload, stack_from_faces
from pitwarden_drivers.tdp.wire import Frame, MalformedFrame, UnknownFrame, decode


class EventIntake:
    """Receiver of the frames that carry events and counts. It buffers at most one unfinished list."""

    def __init__(self, out: SessionOutputBuilder, delivery: EventDelivery) -> None:
        self._out = out
        self._delivery = delivery
        self._gathering: ListAssembler | None = None

    def forget(self) -> None:
        """Drop an unfinished list."""
        self._gathering = None

    def event(self, now: int, identity: IdentityFrame, frame: EventFrame) -> bool:
        """Process an event; False when its boot was never announced: the device has restarted."""
        self._gathering = None
        verdict = self._delivery.place(now, frame.boot, frame.counter)
        if verdict == "next":
            self._delivery.accept(now, event_from_payload(identity.family, frame.kind, frame.payload))
        return verdict != "elsewhere"

    def begin(self, now: int, requests: PendingCommands, frame: ListBeginFrame) -> bool:
        """Begin a list; False as in `event`."""
        self._gathering = None
        if frame.subject == STACK:
            verdict = self._delivery.place(now, frame.boot, frame.number)
            self._gathering = ListAssembler(frame) if verdict == "next" else None
            return verdict != "elsewhere"
        if frame.subject == COUNT and requests.counting(frame.number) is not None:
            self._gathering = ListAssembler(frame)
        else:
            self._out.stray()
        return True

    def items(self, frame: ListItemsFrame) -> None:
        """Add a part to the list under way; ignored when the beginning was lost."""
        if self._gathering is not None:
            self._gathering.add(frame)

    def end(self, now: int, identity: IdentityFrame, requests: PendingCommands, frame: ListEndFrame) -> None:
        """End a list. An incomplete stack is requested again, an incomplete count waits for its deadline."""
        gathering, self._gathering = self._gathering, None
        if gathering is None:
            return
        number, whole = gathering.begin.number, gathering.finish(frame)
        if gathering.begin.subject == COUNT:
            request = requests.counting(number)
            if whole is None or request is None:
                self._out.rejected()
            else:
                requests.counted(number)
                self._out.report(identity.boot, 0, count_from_compartments(request, whole))
        elif whole is None:
            self._delivery.resume(now)
        else:
            self._delivery.accept(now, stack_from_faces(identity.family, whole))


# Heartbeats that may be missing before a device counts as silent (SPEC.md section 9).
MISSED_HEARTBEATS: Final = 5
# Shortest silence in ms that counts as silence, for a device with a very short heartbeat.
LEAST_SILENCE_MS: Final = 2_000
# Distinguishes unknown types of frames from unknown kinds of events.
UNKNOWN_TYPE: Final = 0x100


class TdpSession:
    """TDP 1 dialogue over one opening of a port."""

    def __init__(self, expected: ExpectedDevice) -> None:
        self._expected = expected
        self._framer = Framer()
        self._out = SessionOutputBuilder()
        self._delivery = EventDelivery(self._out, expected.last_boot, expected.last_counter)
        self._asking = IdentifyRound(0, 0)
        self._requests = PendingCommands(0)
        self._shown = LampRefresher()
        self._identity: IdentityFrame | None = None
        self._introduced = 0
        self._intake = EventIntake(self._out, self._delivery)
        # Attributes and no properties: the device's task reads both after each chunk of bytes.
        self.identified = False
        """True if the device has proved to be the configured one."""
        self.heard_at: int | None = None
        """Time of the last good frame of the identified device, monotonic ms; None before the first."""

    @property
    def stats(self) -> LineStats:
        """Input discarded so far."""
        return self._out.stats

    def begin(self, now: int) -> SessionOutput:
        """Request the identity.

        Tokens and request numbers begin at the time, so that replies to an earlier dialogue match none.
        """
        self._requests = PendingCommands(now)
        self._identify(now, now)
        return self._turn()

    def receive(self, now: int, data: bytes) -> SessionOutput:
        """Process bytes in chunks of any size.

        Raises:
            IdentityMismatchError: Another device answers.
            DeviceSilentError: The device stopped answering.
        """
        for found in self._framer.feed(data):
            self._take(now, found)
        return self._turn()

    def tick(self, now: int) -> SessionOutput:
        """Repeat unanswered requests and end those past their deadline.

        Raises:
            DeviceSilentError: No frame arrived in time.
        """
        for outcome in self._requests.expire(now):
            self._out.report(self._introduced, 0, outcome)
        if self._identity is None:
            self._identify_again(now)
        elif now >= self._silent_at(self._identity):
            raise DeviceSilentError(f"no good frame for {now - (self.heard_at or 0)} ms: see the cable and the device")
        else:
            self._delivery.tick(now)
            self._light(now)
        return self._turn()

    def committed(self, now: int, boot: int, counter: int) -> SessionOutput:  # noqa: ARG002  the protocol gives every method the time
        """Acknowledge at once, or as soon as the device is identified."""
        self._delivery.committed(boot, counter)
        return self._turn()

    def command(self, now: int, request: str, command: CommandName) -> SessionOutput:
        """Send a command; refused at once while the device is not identified or too many commands wait."""
        frame = self._requests.send(now, request, command) if self._identity is not None else None
        if frame is not None:
            self._out.send(frame)
        else:
            refused = DeviceCommand(request=request, command=command, outcome="refused")
            self._out.report(self._introduced, 0, refused)
        return self._turn()

    def show(self, now: int, lamps: Lamps) -> SessionOutput:
        """Display lamps, now or as soon as the keypad is identified; other families have no lamps."""
        if self._expected.family == "keypad":
            self._shown.set(now, lamps)
            self._light(now)
        return self._turn()

    def _light(self, now: int) -> None:
        frame = self._shown.due(now) if self._identity is not None else None
        if frame is not None:
            self._out.send(frame)

    def _take(self, now: int, found: GoodFrame | BadFrame) -> None:
        frame = decode(found.content) if isinstance(found, GoodFrame) else None
        if self._identity is not None and frame is not None:
            self._process(now, self._identity, frame)
        elif isinstance(frame, IdentityFrame) and frame.token == self._asking.token:
            self._welcome(now, frame)
        else:
            if self._identity is None:
                self._out.unsynchronised(found.size)
            if frame is None:
                self._out.rejected(found.size)

    def _welcome(self, now: int, found: IdentityFrame) -> None:
        verify_identity(self._expected, found, self._delivery.stream)
        self._identity, self.identified, self.heard_at = found, True, now
        self._requests.clock(now, found.clock)
        if found.boot != self._introduced:
            said = DeviceIdentified(serial=found.serial, firmware=found.firmware, boot=found.boot)
            self._out.report(found.boot, 0, said)
        self._introduced = found.boot
        self._delivery.start(now, found)
        self._shown.again(now)
        self._light(now)

    def _process(self, now: int, identity: IdentityFrame, frame: Frame | UnknownFrame | MalformedFrame) -> None:
        """Process one frame of the identified device."""
        self.heard_at = now
        known = True
        match frame:
            case EventFrame():
                known = self._intake.event(now, identity, frame)
            case ListBeginFrame():
                known = self._intake.begin(now, self._requests, frame)
            case ListItemsFrame():
                self._intake.items(frame)
            case ListEndFrame():
                self._intake.end(now, identity, self._requests, frame)
            case HeartbeatFrame():
                self._requests.clock(now, frame.clock)
                known = frame.boot == identity.boot and self._delivery.beat(now, frame)
            case _:
                self._answer(now, frame)
        if not known:
            self._identify(now, self._asking.token + 1)

    def _answer(self, now: int, frame: Frame | UnknownFrame | MalformedFrame) -> None:
        """Process a frame that answers a request, or an unexpected one."""
        match frame:
            case BacklogFrame():
                self._intake.forget()
                self._delivery.backlog(now, frame)
            case ReplyFrame():
                self._answered(frame)
            case UnknownFrame():
                self._delivery.unknown_frame(UNKNOWN_TYPE | frame.type)
            case IdentityFrame():
                self._out.duplicate()
            case _:
                self._out.rejected()

    def _answered(self, frame: ReplyFrame) -> None:
        outcome = self._requests.answer(frame)
        if outcome is None:
            self._out.stray()
        else:
            self._out.report(self._introduced, 0, outcome)

    def _identify(self, now: int, token: int) -> None:
        """Start a new identification. Nothing is trusted until the device has answered with `token`."""
        self._identity, self.identified = None, False
        self._intake.forget()
        self._delivery.pause()
        self._asking = IdentifyRound(now, token)
        self._identify_again(now)

    def _identify_again(self, now: int) -> None:
        question = self._asking.due(now)
        if question is not None:
            self._out.send(question)

    def _silent_at(self, identity: IdentityFrame) -> int:
        return (self.heard_at or 0) + max(MISSED_HEARTBEATS * identity.heartbeat_ms, LEAST_SILENCE_MS)

    def _turn(self) -> SessionOutput:
        """Return everything collected, and the earliest of all deadlines."""
        own = self._asking.wake_at if self._identity is None else self._silent_at(self._identity)
        lit = self._shown.wake_at if self._identity is not None else None
        wakes = [wake for wake in (own, lit, self._delivery.wake_at, self._requests.wake_at) if wake is not None]
        return self._out.turn(min(wakes))

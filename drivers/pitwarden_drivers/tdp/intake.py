"""Events and lists as they come in (SPEC.md sections 6 and 7): a list is taken whole or not at all."""

from pitwarden_drivers.tdp.delivery import Delivery
from pitwarden_drivers.tdp.meaning import count_of, said_of, stack_of
from pitwarden_drivers.tdp.outbox import Outbox
from pitwarden_drivers.tdp.requests import Requests
from pitwarden_drivers.tdp.wire_device import Event, Identity
from pitwarden_drivers.tdp.wire_list import COUNT, STACK, Begin, End, Gathering, Items


class Intake:
    """Takes the frames that carry events and counts; holds at most one unfinished list."""

    def __init__(self, out: Outbox, delivery: Delivery) -> None:
        self._out = out
        self._delivery = delivery
        self._gathering: Gathering | None = None

    def forget(self) -> None:
        """Drops an unfinished list."""
        self._gathering = None

    def event(self, now: int, identity: Identity, frame: Event) -> bool:
        """Takes an event; False when its boot is one that nobody spoke of: the device restarted."""
        self._gathering = None
        verdict = self._delivery.place(now, frame.boot, frame.counter)
        if verdict == "next":
            self._delivery.accept(now, said_of(identity.family, frame.kind, frame.payload))
        return verdict != "elsewhere"

    def begin(self, now: int, requests: Requests, frame: Begin) -> bool:
        """A list begins; False as in `event`."""
        self._gathering = None
        if frame.subject == STACK:
            verdict = self._delivery.place(now, frame.boot, frame.number)
            self._gathering = Gathering(frame) if verdict == "next" else None
            return verdict != "elsewhere"
        if frame.subject == COUNT and requests.counting(frame.number) is not None:
            self._gathering = Gathering(frame)
        else:
            self._out.stray()
        return True

    def items(self, frame: Items) -> None:
        """A part of the list under way; of no list when its beginning was lost."""
        if self._gathering is not None:
            self._gathering.add(frame)

    def end(self, now: int, identity: Identity, requests: Requests, frame: End) -> None:
        """A list ends: it is whole, or asked for again (a stack), or left to its deadline (a count)."""
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
                self._out.report(identity.boot, 0, count_of(request, whole))
        elif whole is None:
            self._delivery.resume(now)
        else:
            self._delivery.accept(now, stack_of(identity.family, whole))

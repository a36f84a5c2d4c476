"""Queue in front of the input gate: fair between terminals, limited for each, the floor before the dealers.

Threat: a terminal that floods. Its inputs must not delay another terminal's, and each gets an answer.
"""

from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from pitwarden.field.inputs.input_gate import InboundInput, Turned
from pitwarden.system.clock import Clock
from pitwarden.system.tasks import WakeableLoop
from pitwarden_client.events.base import Role

# Inputs of one terminal that wait. A person keys one or two a second, and a keypad that was cut off sends what it kept.
TERMINAL_INPUTS: Final = 32
# Inputs of all terminals that wait: those of eight terminals at their limit. A table has three or four.
INBOX: Final = 256
# Inputs a second of one terminal in the long run, and as many more at once. Eight seats keyed at once take two seconds.
RATE: Final = 20
# Inputs of one terminal at once, above its rate: a keypad that was cut off sends what it kept.
BURST: Final = 100
# A simulated table plays faster than people do, without any person at its terminals.
SIMULATED_SPEED: Final = 50
# Terminals whose rate is remembered. Without an ACL a client can invent names; a forgotten one has its burst again.
REMEMBERED: Final = 64

_FIRST: Final[tuple[Role, ...]] = ("supervisor", "floor")


@dataclass(slots=True)
class _Allowance:
    """Inputs that a terminal may still send, as of `at_ms`."""

    left: float
    at_ms: int


@dataclass(slots=True)
class _Waiting:
    """Inputs of one class of roles by terminal, the terminal whose turn is next in front."""

    by_terminal: OrderedDict[tuple[Role, str], deque[InboundInput]] = field(default_factory=OrderedDict)

    def put(self, sender: tuple[Role, str], asked: InboundInput) -> bool:
        queue = self.by_terminal.setdefault(sender, deque())
        if len(queue) >= TERMINAL_INPUTS:
            return False
        queue.append(asked)
        return True

    def take(self) -> InboundInput | None:
        if not self.by_terminal:
            return None
        sender, queue = self.by_terminal.popitem(last=False)
        asked = queue.popleft()
        if queue:
            self.by_terminal[sender] = queue  # behind the others
        return asked


class FairInbox(WakeableLoop):
    """Bounded queues and their one worker: `handle` receives one input at a time, of each terminal in turn."""

    def __init__(
        self, handle: Callable[[InboundInput], Awaitable[None]], clock: Clock, *, simulated: bool = False
    ) -> None:
        """Limit each terminal to RATE and BURST; a simulated table to SIMULATED_SPEED times as many."""
        super().__init__()
        self._handle, self._clock = handle, clock
        speed = SIMULATED_SPEED if simulated else 1
        self._rate, self._burst = RATE * speed, BURST * speed
        self._first, self._then = _Waiting(), _Waiting()
        self._allowances: OrderedDict[tuple[Role, str], _Allowance] = OrderedDict()
        self.waiting = 0
        """Number of inputs that wait."""

    def put(self, asked: InboundInput) -> Turned | None:
        """Enqueue `asked`, and return None; or return why it was not enqueued."""
        sender = asked.role, asked.terminal
        if not self._allowed(sender):
            return "too_many"
        waiting = self._first if asked.role in _FIRST else self._then
        if self.waiting >= INBOX or not waiting.put(sender, asked):
            return "queue_full"
        self.waiting += 1
        self.wake()
        return None

    def _allowed(self, sender: tuple[Role, str]) -> bool:
        now = self._clock.mono_ms()
        known = self._allowances.pop(sender, None) or _Allowance(self._burst, now)
        known.left = min(self._burst, known.left + (now - known.at_ms) * self._rate / 1_000)
        known.at_ms = now
        self._allowances[sender] = known
        if len(self._allowances) > REMEMBERED:
            self._allowances.popitem(last=False)
        if known.left < 1:
            return False
        known.left -= 1
        return True

    async def _turn(self) -> None:
        while (asked := self._first.take() or self._then.take()) is not None:
            self.waiting -= 1
            await self._handle(asked)
            self.progress += 1

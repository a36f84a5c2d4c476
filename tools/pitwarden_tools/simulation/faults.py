"""Faults that wait for their moment at an edge: a message, a write, a turn of the loop; and which of them came.

A fault of the schedule is *armed* before an action of the people. It *fires* when the edge is used for the n-th time
after that; if the edge is not used, it is taken back and does not count.
"""

from dataclasses import dataclass, field
from typing import Final, Literal

Half = Literal["field", "judge"]
HALVES: Final[tuple[Half, ...]] = ("field", "judge")

Edge = Literal[
    "publish", "deliver", "open", "subscribe", "write", "sync", "turn"
]  # fmt: skip
"""Edge at which a fault can fire.

On the network: a message of a half to the broker, one of the broker to a half, a connection, a subscription. On the
machine: a write or a sync of a journal or a turn of the loop.
"""


@dataclass(slots=True)
class ArmedFault:
    """Fault that waits. `after`: how often the edge is used before it fires; `what`: the fault, for the edge's code.

    `amount`: size of the fault in its own unit, such as seconds of a delay.
    """

    edge: Edge
    what: str
    half: Half | None
    after: int
    amount: float = 0.0
    fired: bool = False


@dataclass
class ArmedFaults:
    """Faults that wait, by the order in which they were armed."""

    waiting: list[ArmedFault] = field(default_factory=list)

    def arm(self, fault: ArmedFault) -> ArmedFault:
        """Let `fault` wait for its moment."""
        self.waiting.append(fault)
        return fault

    def withdraw(self, fault: ArmedFault) -> bool:
        """End the wait of `fault`; return whether it fired."""
        if fault in self.waiting:
            self.waiting.remove(fault)
        return fault.fired

    def take(self, edge: Edge, half: Half | None) -> ArmedFault | None:
        """Return the fault that fires at this use of `edge` by `half`; None for most."""
        for fault in self.waiting:
            if fault.edge == edge and fault.half in {None, half}:
                if fault.after > 0:
                    fault.after -= 1
                    return None
                self.waiting.remove(fault)
                fault.fired = True
                return fault
        return None

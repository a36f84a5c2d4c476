"""Kind of simulated fault, and the wait of a fault for the edge at which it fires.

A kind returns whether its fault truly came: one that waited in vain for its edge does not count.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from pitwarden_tools.simulation.faults import HALVES, ArmedFault, Edge, Half
from pitwarden_tools.simulation.rig import SimulatedRig

Inject = Callable[[SimulatedRig, Random], Awaitable[bool]]
"""Injects a fault before an action of the people and ends it by itself; returns whether it came."""

# Simulated seconds for which a fault waits for its edge.
WAIT_S: Final = 8.0
_STEP_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class SimulatedKind:
    """Kind of fault. The same numbers from `Random` give the same fault."""

    name: str
    what: str
    inject: Inject


async def fired(rig: SimulatedRig, fault: ArmedFault) -> bool:
    """Wait until an armed fault fires, or take it back; return whether it fired."""
    rig.faults.arm(fault)
    for _ in range(int(WAIT_S / _STEP_S)):
        if fault.fired:
            break
        await asyncio.sleep(_STEP_S)
    return rig.faults.withdraw(fault)


def armed(edge: Edge, what: str, longest_s: float = 0.0) -> Inject:
    """Return a fault of one message, of one connection or of one write."""

    async def inject(rig: SimulatedRig, random: Random) -> bool:
        fault = ArmedFault(edge, what, random.choice(HALVES), random.randint(0, 6), random.uniform(0, longest_s))
        if edge in {"open", "subscribe"}:
            fault.after = 0
            reset(rig, fault.half)
        return await fired(rig, fault)

    return inject


def reset(rig: SimulatedRig, half: Half | None) -> None:
    """Reset the connections of a half to the broker; None for both halves."""
    for connection in list(rig.broker.connections):
        if half in {None, connection.half}:
            connection.broken("the network was reset")

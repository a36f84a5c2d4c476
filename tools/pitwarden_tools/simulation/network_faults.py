"""Faults of the network and of the broker."""

import asyncio
from random import Random
from typing import Final

from pitwarden_client.mqtt.errors import AccessRefusedError, LinkDownError
from pitwarden_tools.simulation.faults import HALVES
from pitwarden_tools.simulation.kind import Inject, SimulatedKind, armed, reset
from pitwarden_tools.simulation.rig import SimulatedRig


async def _connection_reset(rig: SimulatedRig, random: Random) -> bool:
    reset(rig, random.choice((*HALVES, None)))
    return True


async def _half_open(rig: SimulatedRig, random: Random) -> bool:
    """Let nothing through a connection any more, without an end."""
    if not rig.broker.connections:
        return False
    random.choice(rig.broker.connections).stall(random.uniform(6, 20))
    return True


async def _refused(rig: SimulatedRig, random: Random) -> bool:
    rig.broker.refuses = random.choice((LinkDownError("refused"), AccessRefusedError("the login is refused")))
    reset(rig, None)
    await asyncio.sleep(random.uniform(0.2, 5))
    rig.broker.refuses = None
    return True


def _broker_restarted(*, forgets: bool) -> Inject:
    async def inject(rig: SimulatedRig, random: Random) -> bool:
        rig.broker.down = True
        rig.broker.restart(forgets=forgets)
        await asyncio.sleep(random.uniform(0.1, 20))
        rig.broker.down = False
        return True

    return inject


async def _broker_frozen(rig: SimulatedRig, random: Random) -> bool:
    seconds = random.uniform(0.2, 5)
    rig.broker.frozen_until = asyncio.get_running_loop().time() + seconds
    await asyncio.sleep(seconds)
    return True


async def _network_slow(rig: SimulatedRig, random: Random) -> bool:
    rig.broker.slower_s = random.uniform(0.05, 1)
    await asyncio.sleep(random.uniform(0.5, 5))
    rig.broker.slower_s = 0.0
    return True


NETWORK_KINDS: Final[tuple[SimulatedKind, ...]] = (
    SimulatedKind("publish_lost", "a message is lost before the broker takes it, and the connection",
                  armed("publish", "publish_lost")),
    SimulatedKind("answer_lost", "the broker takes a message, and its answer and the connection are lost",
                  armed("publish", "answer_lost")),
    SimulatedKind("answer_late", "the broker's answer to a message comes up to 10 s late",
                  armed("publish", "answer_late", 10)),
    SimulatedKind("taken_twice", "the broker takes a message twice", armed("publish", "taken_twice")),
    SimulatedKind("publish_refused", "the broker refuses a message", armed("publish", "publish_refused")),
    SimulatedKind("delivery_lost", "a message to a half is lost, and the connection",
                  armed("deliver", "delivery_lost")),
    SimulatedKind("delivered_late", "a message to a half, and all behind it, come up to 10 s late",
                  armed("deliver", "delivered_late", 10)),
    SimulatedKind("delivered_twice", "a message to a half comes twice", armed("deliver", "delivered_twice")),
    SimulatedKind("delivered_again", "a message to a half comes again, behind later ones",
                  armed("deliver", "delivered_again_later", 10)),
    SimulatedKind("connection_reset", "connections to the broker are reset", _connection_reset),
    SimulatedKind("half_open", "nothing passes a connection until the keepalive notices", _half_open),
    SimulatedKind("open_times_out", "the broker does not answer a new connection",
                  armed("open", "no_answer", 3)),
    SimulatedKind("login_refused", "the broker refuses a login once", armed("open", "login_refused")),
    SimulatedKind("port_refused", "the broker refuses all connections for up to 5 s", _refused),
    SimulatedKind("subscription_refused", "the broker refuses a subscription once",
                  armed("subscribe", "subscription_refused")),
    SimulatedKind("subscription_lost", "the broker does not answer a subscription",
                  armed("subscribe", "no_answer")),
    SimulatedKind("broker_restarted", "the broker is away for up to 20 s, and kept what was retained",
                  _broker_restarted(forgets=False)),
    SimulatedKind("broker_forgot", "the broker is away for up to 20 s, and kept nothing",
                  _broker_restarted(forgets=True)),
    SimulatedKind("broker_frozen", "the broker does nothing for up to 5 s", _broker_frozen),
    SimulatedKind("network_slow", "each message takes up to 1 s more each way", _network_slow),
)  # fmt: skip

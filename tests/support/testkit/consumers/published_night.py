"""What the real halves published in a few nights, message by message: what consumers' tests play again."""

import re
from dataclasses import dataclass
from functools import cache

from pitwarden.contract.channels import CHANNELS, Channel
from pitwarden.events.topics import PREFIX
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import TABLES
from testkit.simulated_service.night import SimulatedNightPlan, play


@dataclass(frozen=True)
class PublishedMessage:
    """One message as it was published."""

    channel: Channel
    topic: str
    payload: bytes


@cache
def published_night(table: str, seed: str, rounds: int, *faults: str) -> tuple[PublishedMessage, ...]:
    """All messages of one night at `table` (a key of TABLES), in order; the same in every call."""
    wrong = tuple(fault for fault in load_faults() if fault.name in faults and fault.table == table)
    played = play(SimulatedNightPlan(TABLES[table], seed, rounds, wrong))
    return tuple(PublishedMessage(channel_of(topic), topic, payload) for topic, payload in played.observed.raw)


def channel_of(topic: str) -> Channel:
    """The one channel of the contract that `topic` belongs to."""
    found = [channel for channel in CHANNELS if re.fullmatch(_pattern(channel.address), topic)]
    if len(found) != 1:
        raise LookupError(f"{topic} belongs to {len(found)} channels")
    return found[0]


def _pattern(address: str) -> str:
    return f"{PREFIX}/[^/]+/[^/]+/" + re.sub(r"\{\w+\}", "[^/]+", address)

"""Messages that the real halves published in a few nights, for tests of consumers."""

import re
from dataclasses import dataclass
from functools import cache

from pitwarden_client.contract.channels import CHANNELS, Channel
from pitwarden_client.events.topics import PREFIX
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import ALL_TABLES
from testkit.simulated_service.night import SimulatedNightPlan, play


@dataclass(frozen=True)
class PublishedMessage:
    """A published message."""

    channel: Channel
    topic: str
    payload: bytes


@cache
def published_night(table: str, seed: str, rounds: int, *faults: str) -> tuple[PublishedMessage, ...]:
    """Return all messages of one night at `table` (a key of ALL_TABLES), in order; the same in every call."""
    wrong = tuple(fault for fault in load_faults() if fault.name in faults and fault.table == table)
    played = play(SimulatedNightPlan(ALL_TABLES[table], seed, rounds, wrong))
    return tuple(PublishedMessage(channel_of(topic), topic, payload) for topic, payload in played.observed.raw)


def ten_is_open(said: PublishedMessage) -> bool:
    """Return whether a message is a state with the stray 10 of a night with `stray_ten`."""
    return said.channel.name == "state" and b"TAB-37" in said.payload


def channel_of(topic: str) -> Channel:
    """Return the channel of the contract to which `topic` belongs."""
    found = [channel for channel in CHANNELS if re.fullmatch(_pattern(channel.address), topic)]
    if len(found) != 1:
        raise LookupError(f"{topic} belongs to {len(found)} channels")
    return found[0]


def _pattern(address: str) -> str:
    return f"{PREFIX}/[^/]+/[^/]+/" + re.sub(r"\{\w+\}", "[^/]+", address)

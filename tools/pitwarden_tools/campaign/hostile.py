"""Hostile and repeated messages on a table's bus: none may be obeyed, counted or judged."""

import contextlib
from collections.abc import Awaitable, Collection
from random import Random
from typing import Final, Protocol

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import encode
from pitwarden_client.events.dealer_play import KpDeal
from pitwarden_client.events.device import DeviceOrder
from pitwarden_client.events.inputs import TerminalInput
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import BusError
from pitwarden_tools.campaign.log_view import End

HOSTILE: Final = "hostile-"
"""Prefix of the ids of inputs that must never be accepted."""
_FAR_MS: Final = 2**40


class StoredRows(Protocol):
    """Log on the disk."""

    def end(self) -> End | None:
        """Return the last committed row; None before the first."""
        ...

    def some(self, places: list[int]) -> list[tuple[str, bytes]]:
        """Return topic and bytes of some rows."""
        ...


class HostileTarget(Protocol):
    """Table on whose bus a foreign client publishes."""

    topics: Topics
    state: TableState | None

    @property
    def view(self) -> StoredRows:
        """Log on the disk."""
        ...

    @property
    def heard(self) -> Collection[tuple[str, bytes]]:
        """Every message, each once, in order."""
        ...

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> Awaitable[None]:
        """Publish a message."""
        ...


async def say(rig: HostileTarget, topic: str, payload: bytes, *, retain: bool = False) -> None:
    """Publish, whether or not the broker takes it."""
    with contextlib.suppress(BusError):
        await rig.publish(topic, payload, retain=retain)


async def send_junk(rig: HostileTarget, random: Random) -> None:
    """Publish 20 messages of junk on topics of the table."""
    root = rig.topics.root
    topics = [
        f"{root}/events/shoe/shoe_card", f"{root}/what/is/this", rig.topics.input("dealer", "dealer-1"),
        rig.topics.state, rig.topics.position("judge"), rig.topics.replay_request("pit"), rig.topics.head,
    ]  # fmt: skip
    bodies = [b"", b"\x00\xff", b'{"n":NaN}', b"[" * 5_000, b'{"a":1,"a":2}', b"9" * 5_000, random.randbytes(300)]
    for _ in range(20):
        await say(rig, random.choice(topics), random.choice(bodies))


async def send_oversize(rig: HostileTarget, random: Random) -> None:
    """Publish messages of 300 kB."""
    for topic in (f"{rig.topics.root}/events/shoe/shoe_card", rig.topics.input("floor", "floor-1")):
        await say(rig, topic, random.randbytes(300_000))


async def send_rows_again(rig: HostileTarget, random: Random) -> None:
    """Publish old rows of the log."""
    end = rig.view.end()
    places = [random.randint(1, end.place) for _ in range(20)] if end else []
    for topic, body in rig.view.some(places):
        await say(rig, topic, body)


async def send_input_again(rig: HostileTarget, random: Random) -> None:
    """Send a recorded input of a terminal once more."""
    sent = [message for message in rig.heard if "/inputs/" in message[0] and not message[0].endswith("/replies")]
    for topic, payload in random.sample(sent, min(10, len(sent))):
        await say(rig, topic, payload)


async def send_stale_input(rig: HostileTarget, random: Random) -> None:
    """Send an input that acted on another epoch."""
    await say(rig, rig.topics.input("dealer", "dealer-1"), stale_input(random))


def stale_input(random: Random) -> bytes:
    """Return an input that acted on another epoch."""
    elsewhere = Position(epoch="elsewhere", number=random.randint(1, 99))
    act = TerminalInput(id=f"{HOSTILE}{random.getrandbits(40)}", person="x", as_of=elsewhere, act=KpDeal())
    return encode(act)


def lock_order(rig: HostileTarget, random: Random, *, epoch: str = "") -> bytes:
    """Return a lock as of the present state, or as of one of `epoch`."""
    number, ident = random.randint(1, 99), f"{HOSTILE}{random.getrandbits(40)}"
    as_of = Position(epoch=epoch, number=number) if epoch or rig.state is None else rig.state.as_of
    until = _FAR_MS if epoch or rig.state is None else rig.state.permit.expires_ms
    return encode(DeviceOrder(id=ident, command="lock", as_of=as_of, until_ms=until))


async def send_stale_order(rig: HostileTarget, random: Random) -> None:
    """Send a command that acted on another epoch."""
    await say(rig, rig.topics.command("shoe"), lock_order(rig, random, epoch="elsewhere"))


async def send_order_for_nobody(rig: HostileTarget, random: Random) -> None:
    """Send commands for what must not be locked, and for no device."""
    for device in ("shuffler", "made-up", "table"):  # no shuffler may be locked, and the others are no devices
        await say(rig, rig.topics.command(device), lock_order(rig, random))


async def send_order_again(rig: HostileTarget, random: Random) -> None:
    """Send a recorded command of the judge once more."""
    sent = [each for each in rig.heard if "/commands/" in each[0] and not each[0].endswith("/replies")]
    for topic, payload in random.sample(sent, min(5, len(sent))):
        await say(rig, topic, payload)

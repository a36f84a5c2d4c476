"""Commands for devices that must be refused, and a disk that is really full."""

import asyncio
import contextlib
from random import Random
from typing import Final

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import encode
from pitwarden_client.events.device import DeviceOrder
from pitwarden_client.mqtt.errors import BusError
from pitwarden_tools.campaign.disk import fill
from pitwarden_tools.campaign.fault_disk import HOSTILE
from pitwarden_tools.campaign.fault_kind import Kind
from pitwarden_tools.campaign.rig import Rig

DISK_FULL: Final = "disk_full"
_FAR_MS: Final = 2**40


def _order(rig: Rig, random: Random, *, epoch: str = "") -> bytes:
    """Return a lock as of the present state, or as of one of `epoch`."""
    number, ident = random.randint(1, 99), f"{HOSTILE}{random.getrandbits(40)}"
    as_of = Position(epoch=epoch, number=number) if epoch or rig.state is None else rig.state.as_of
    until = _FAR_MS if epoch or rig.state is None else rig.state.permit.expires_ms
    return encode(DeviceOrder(id=ident, command="lock", as_of=as_of, until_ms=until))


async def _stale(rig: Rig, random: Random) -> None:
    await _say(rig, rig.topics.command("shoe"), _order(rig, random, epoch="elsewhere"))


async def _retained(rig: Rig, random: Random) -> None:
    """Leave a retained command at the broker for a field half that starts."""
    topic, part = rig.topics.command("shoe"), rig.processes.part("field")
    await rig.processes.stop(part)
    await _say(rig, topic, _order(rig, random), retain=True)
    await rig.processes.start(part)
    await asyncio.sleep(1.5)
    await _say(rig, topic, b"", retain=True)


async def _for_no_device(rig: Rig, random: Random) -> None:
    for device in ("shuffler", "made-up", "table"):  # no shuffler may be locked, and the others are no devices
        await _say(rig, rig.topics.command(device), _order(rig, random))


async def _again(rig: Rig, random: Random) -> None:
    """Send a recorded command of the judge once more."""
    sent = [each for each in rig.heard if "/commands/" in each[0] and not each[0].endswith("/replies")]
    for topic, payload in random.sample(sent, min(5, len(sent))):
        await _say(rig, topic, payload)


async def _disk_full(rig: Rig, random: Random) -> None:
    filler = rig.folder / "journals" / "filler"
    await asyncio.to_thread(fill, filler)
    await asyncio.sleep(random.uniform(0.3, 2.5))
    filler.unlink(missing_ok=True)


async def _say(rig: Rig, topic: str, payload: bytes, *, retain: bool = False) -> None:
    with contextlib.suppress(BusError):
        await rig.publish(topic, payload, retain=retain)


KINDS: Final = (
    Kind("order_stale", "a command to lock the shoe that acted on another epoch", _stale),
    Kind("order_retained", "a retained command to lock the shoe waits for the field half's start", _retained),
    Kind("order_for_nobody", "commands for what may not be locked, and for no device", _for_no_device),
    Kind("order_again", "recorded commands of the judge are sent again", _again),
    Kind(DISK_FULL, "the file system of the journals has no byte left for up to 2.5 s", _disk_full),
)

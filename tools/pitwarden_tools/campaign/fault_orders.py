"""Commands for devices that must be refused, and a disk that is really full."""

import asyncio
from random import Random
from typing import Final

from pitwarden_tools.campaign.disk import fill
from pitwarden_tools.campaign.fault_kind import Kind
from pitwarden_tools.campaign.hostile import lock_order, say, send_order_again, send_order_for_nobody, send_stale_order
from pitwarden_tools.campaign.rig import Rig

DISK_FULL: Final = "disk_full"


async def _retained(rig: Rig, random: Random) -> None:
    """Leave a retained command at the broker for a field half that starts."""
    topic, part = rig.topics.command("shoe"), rig.processes.part("field")
    await rig.processes.stop(part)
    await say(rig, topic, lock_order(rig, random), retain=True)
    await rig.processes.start(part)
    await asyncio.sleep(1.5)
    await say(rig, topic, b"", retain=True)


async def _disk_full(rig: Rig, random: Random) -> None:
    filler = rig.folder / "journals" / "filler"
    await asyncio.to_thread(fill, filler)
    await asyncio.sleep(random.uniform(0.3, 2.5))
    filler.unlink(missing_ok=True)


KINDS: Final = (
    Kind("order_stale", "a command to lock the shoe that acted on another epoch", send_stale_order),
    Kind("order_retained", "a retained command to lock the shoe waits for the field half's start", _retained),
    Kind("order_for_nobody", "commands for what may not be locked, and for no device", send_order_for_nobody),
    Kind("order_again", "recorded commands of the judge are sent again", send_order_again),
    Kind(DISK_FULL, "the file system of the journals has no byte left for up to 2.5 s", _disk_full),
)

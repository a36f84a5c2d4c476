"""Who answers on a line of unknown owner, asked by TDP's Identify and nothing else: no event is asked for."""

from dataclasses import dataclass

from pitwarden_drivers.api import Family
from pitwarden_drivers.framing.stuffed import Framer, Good
from pitwarden_drivers.tdp.wire import decode, encode
from pitwarden_drivers.tdp.wire_device import Identity
from pitwarden_drivers.tdp.wire_host import Identify


@dataclass(frozen=True, slots=True)
class Somebody:
    """Who answered: what the device says it is. It is not believed for that."""

    family: Family
    serial: str
    firmware: str


class WhoIsThere:
    """One round of the question. `token` tells the answer to it from an answer to somebody else."""

    def __init__(self, token: int) -> None:
        self._token = token & 0xFFFFFFFF
        self._framer = Framer()

    def question(self) -> bytes:
        """What to send, and to send again every half second."""
        return encode(Identify(self._token))

    def receive(self, data: bytes) -> Somebody | None:
        """Who answered in `data`, None while nobody did."""
        for found in self._framer.feed(data):
            frame = decode(found.content) if isinstance(found, Good) else None
            if isinstance(frame, Identity) and frame.token == self._token:
                return Somebody(frame.family, frame.serial, frame.firmware)
        return None

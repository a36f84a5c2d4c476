"""Minimal MQTT 3.1.1 client for loads: prepared packets are sent unchanged, acknowledgements are only counted.

The load of a judge with a thousand tables must not take its processor: a row costs microseconds here.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

_PUBLISH: Final = 0x30
_SEVEN_BITS: Final = 0x7F
_MORE: Final = 0x80
IDENTS: Final = 65_535


def publish(topic: str, ident: int, payload: bytes) -> bytes:
    """Return a PUBLISH at QoS 1; `ident` from 1 to 65,535."""
    return packet(_PUBLISH | 2, _text(topic) + ident.to_bytes(2, "big") + payload)


class BareMqtt(asyncio.Protocol):
    """Clean session at a broker on loopback. `on_message` gets topic and payload of messages at QoS 0."""

    def __init__(self, name: str, topic_filter: str, on_message: Callable[[str, bytes], None]) -> None:
        self._hello = packet(0x10, _text("MQTT") + bytes([4, 2, 0, 0]) + _text(name))
        self._ask = packet(0x82, b"\x00\x01" + _text(topic_filter) + b"\x00")
        self._on_message = on_message
        self._left = b""
        self._transport: asyncio.Transport | None = None
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once the subscription is active; ConnectionError when the broker refuses or the connection ends."""
        self.lost = False
        self.acknowledged = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send CONNECT."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport
            transport.write(self._hello)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail `ready` if it is not done. No more messages follow."""
        self.lost = True
        if not self.ready.done():
            self.ready.set_exception(ConnectionError(f"the broker closed the connection: {exc or 'no reason'}"))

    def send(self, packets: Iterable[bytes]) -> None:
        """Send packets that `publish` made."""
        if self._transport is not None:
            self._transport.write(b"".join(packets))

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Process every complete packet."""
        data, at = self._left + data, 0
        while (body := _body(data, at)) is not None and body[1] <= len(data):
            self._packet(data[at], data[body[0] : body[1]])
            at = body[1]
        self._left = data[at:]

    def _packet(self, head: int, body: bytes) -> None:
        match head & 0xF0:
            case 0x40:
                self.acknowledged += 1
            case 0x30:
                ends = 2 + int.from_bytes(body[:2], "big")
                self._on_message(body[2:ends].decode(), body[ends:])
            case 0x20 if body[1] == 0 and self._transport is not None:
                self._transport.write(self._ask)
            case 0x90 if body[2] == 0:
                self.ready.set_result(None)
            case _:
                self.close()


def _body(data: bytes, at: int) -> tuple[int, int] | None:
    """Return begin and end of the body of the packet at `at`; None before its length has arrived."""
    length = shift = 0
    for place in range(at + 1, min(at + 5, len(data))):
        length |= (data[place] & _SEVEN_BITS) << shift
        if not data[place] & _MORE:
            return place + 1, place + 1 + length
        shift += 7
    return None


def packet(head: int, body: bytes) -> bytes:
    """Return a packet: its first byte, its length, its body."""
    length, digits = len(body), bytearray()
    while True:
        length, digit = divmod(length, _MORE)
        digits.append(digit | _MORE if length else digit)
        if not length:
            return bytes([head]) + bytes(digits) + body


def _text(text: str) -> bytes:
    raw = text.encode()
    return len(raw).to_bytes(2, "big") + raw

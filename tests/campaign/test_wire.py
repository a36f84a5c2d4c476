"""The campaign's network cuts as TCP does: what arrives is a beginning of what was sent, never with a hole in it."""

import asyncio

from pitwarden_tools.campaign.wire import FaultyWire, wire


async def test_what_arrives_before_a_cut_is_a_beginning_of_what_was_sent() -> None:
    arrived = bytearray()
    ended = asyncio.Event()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(1_000):
                arrived.extend(data)
        except OSError:
            pass  # cut
        writer.close()
        ended.set()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    sent = bytes(range(256)) * 20
    async with wire(server.sockets[0].getsockname()[1]) as proxy:
        _, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        _cut(proxy, 300)
        for at in range(0, len(sent), 100):
            writer.write(sent[at : at + 100])
            await asyncio.sleep(0)
        await ended.wait()
        writer.transport.abort()
        assert proxy.cut_after is None
    server.close()
    await server.wait_closed()
    assert bytes(arrived) == sent[: len(arrived)]
    assert len(arrived) <= 300


def _cut(proxy: FaultyWire, after: int) -> None:
    proxy.cut_after = after

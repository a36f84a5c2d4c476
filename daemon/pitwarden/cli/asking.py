"""One question over MQTT and its answer: asked as of the table's present state, again until it is answered."""

import asyncio
import secrets
from collections.abc import Callable
from typing import Final, TypeVar

from pitwarden_client.events.base import Record
from pitwarden_client.events.codec import BadPayloadError, decode, encode
from pitwarden_client.events.inputs import InputReply
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import Topics

from pitwarden.bus.connection import Connection
from pitwarden.bus.messages import Message
from pitwarden.config.models import TableFile
from pitwarden.service.reload import settings_of

STATE_S: Final = 1.0
ANSWER_S: Final = 5.0
RETRY_S: Final = 1.0

R = TypeVar("R", bound=Record)


async def ask(
    table: TableFile, topic: str, reply_topic: str, ident: str, question: Callable[[TableState | None], Record | None]
) -> InputReply | None:
    """The answer to what `question` makes of the state (None: there is none); None when it makes nothing.

    BusError, TimeoutError. A question goes out again with the same id while nobody answers.
    """
    state_topic = Topics(table.table.site, table.table.table).state
    state: asyncio.Future[TableState] = asyncio.get_running_loop().create_future()
    answer: asyncio.Future[InputReply] = asyncio.get_running_loop().create_future()

    def heard(message: Message) -> None:
        message.ack()
        if message.topic == state_topic and not state.done():
            known = _read(TableState, message)
            if known is not None:
                state.set_result(known)
        elif message.topic == reply_topic and not answer.done():
            reply = _read(InputReply, message)
            if reply is not None and reply.id == ident:
                answer.set_result(reply)

    connection = Connection(settings_of(table), f"ask-{secrets.token_hex(4)}", heard)
    await connection.open()
    try:
        await connection.listen([state_topic, reply_topic])
        await asyncio.wait({state}, timeout=STATE_S)
        asked = question(state.result() if state.done() else None)
        if asked is None:
            return None
        async with asyncio.timeout(ANSWER_S):
            while not answer.done():
                await connection.send(topic, encode(asked))
                await asyncio.wait({answer}, timeout=RETRY_S)
        return answer.result()
    finally:
        await connection.goodbye()


def _read(model: type[R], message: Message) -> R | None:
    try:
        return decode(model, message.payload)
    except BadPayloadError:
        return None

"""Inputs that a consumer keys, each sent again until the table answers."""

import asyncio
from contextlib import suppress
from typing import Final

from pitwarden.client.mqtt.faults import BusError
from pitwarden.client.mqtt.link import ConsumerLink
from pitwarden.events.codec import encode
from pitwarden.events.inputs import InputReply, Role, TerminalInput
from pitwarden.events.topics import Topics

RETRY_S: Final = 1.0
ANSWER_S: Final = 8.0


class Keying:
    """The inputs that are under way, by their ids."""

    def __init__(self, link: ConsumerLink, topics: Topics) -> None:
        self._link, self._topics = link, topics
        self._answers: dict[str, asyncio.Future[InputReply]] = {}

    async def key(self, role: Role, terminal: str, wanted: TerminalInput) -> InputReply:
        """Sends an input, again with the same id until the table's answer comes; BusError, TimeoutError.

        ValueError while another input with its id is under way: an answer names an id and nothing else.
        """
        if wanted.id in self._answers:
            raise ValueError(f"input {wanted.id} is still under way: give each input an id of its own")
        answer: asyncio.Future[InputReply] = asyncio.get_running_loop().create_future()
        self._answers[wanted.id] = answer
        replies = self._topics.reply(role, terminal)
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._link.subscribe([replies])
                while not answer.done():
                    with suppress(BusError):  # sent again below
                        await self._link.publish(self._topics.input(role, terminal), encode(wanted))
                    await asyncio.wait({answer}, timeout=RETRY_S)
            return answer.result()
        finally:
            del self._answers[wanted.id]

    def answered(self, reply: InputReply) -> None:
        """An answer came, to one of these inputs or to somebody else's."""
        answer = self._answers.get(reply.id)
        if answer is not None and not answer.done():
            answer.set_result(reply)

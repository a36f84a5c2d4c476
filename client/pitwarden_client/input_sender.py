"""Inputs that are under way: sent again with the same id until the table replies."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol

from pitwarden_client.events.base import Role
from pitwarden_client.events.codec import encode
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import BusError

# Seconds until an unanswered input is sent again, with the same id.
RETRY_S: Final = 1.0
# Seconds in all that an input waits for its answer. Then the caller learns that the outcome is unknown.
ANSWER_S: Final = 8.0


class InputLink(Protocol):
    """The link that inputs are sent over, and their replies received."""

    async def publish(self, topic: str, payload: bytes) -> None:
        """Publish at QoS 1 and wait for the broker's acknowledgement."""
        ...

    async def subscribe(self, filters: Sequence[str]) -> None:
        """Subscribe to further filters, now and in every later connection."""
        ...


class InputSender:
    """Inputs that are under way, by their ids."""

    def __init__(self, link: InputLink, topics: Topics) -> None:
        self._link, self._topics = link, topics
        self._answers: dict[str, asyncio.Future[InputReply]] = {}

    async def key(self, role: Role, terminal: str, wanted: TerminalInput) -> InputReply:
        """Send an input, again with the same id until the table replies.

        Raises:
            BusError: The broker refuses the reply's subscription, or the link is down.
            TimeoutError: No reply arrived in time.
            ValueError: Another input with its id is under way; a reply names only the id.
        """
        if wanted.id in self._answers:
            raise ValueError(f"input {wanted.id} is still under way: give each input an id of its own")
        answer: asyncio.Future[InputReply] = asyncio.get_running_loop().create_future()
        self._answers[wanted.id] = answer
        replies = self._topics.reply(role, terminal)
        try:
            async with asyncio.timeout(ANSWER_S):
                # Before the input is sent, so that a quick reply is not missed.
                await self._link.subscribe([replies])
                while not answer.done():
                    with suppress(BusError):  # sent again below
                        await self._link.publish(self._topics.input(role, terminal), encode(wanted))
                    await asyncio.wait({answer}, timeout=RETRY_S)
            return answer.result()
        finally:
            del self._answers[wanted.id]

    def answered(self, reply: InputReply) -> None:
        """Handle a reply, to one of these inputs or to another client's."""
        answer = self._answers.get(reply.id)
        if answer is not None and not answer.done():
            answer.set_result(reply)

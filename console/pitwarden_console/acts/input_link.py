"""Connection of one role to the broker, over which the console keys inputs at every table and reads their answers.

Each role has a login of its own, which may write the inputs of this terminal in its role and read the answers to them.
The broker refuses what the console would not: a session of the floor cannot key as a supervisor.
"""

import secrets
from collections.abc import Sequence

from pitwarden_client import BrokerSettings, BusError
from pitwarden_client.backoff import LinkBackoff
from pitwarden_client.events.base import Role
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.topics import Topics
from pitwarden_client.input_sender import InputSender
from pitwarden_client.mqtt.link import ConsumerLink


class RoleInputLink:
    """Inputs of one role from one terminal to the tables of a site."""

    def __init__(self, broker: BrokerSettings, role: Role, terminal: str, site: str, tables: Sequence[str]) -> None:
        self.fault = "not connected to the broker yet"
        """Reason why no input can be keyed; empty while the link is up."""
        self._role, self._terminal = role, terminal
        topics = {name: Topics(site, name) for name in tables}
        replies = {each.reply(role, terminal): name for name, each in topics.items()}
        self._tables = replies
        self._link = ConsumerLink(
            broker, f"{terminal}-{role}-{secrets.token_hex(4)}", list(replies),
            on_message=self._received, on_up=self._up, on_down=self._down, retry=LinkBackoff(),
        )  # fmt: skip
        self._senders = {name: InputSender(self._link, each) for name, each in topics.items()}

    async def run(self) -> None:
        """Hold the connection until cancelled."""
        await self._link.run()

    async def key(self, table: str, wanted: TerminalInput) -> InputReply:
        """Send an input, again with the same id until the table answers.

        Raises:
            BusError: The link is down, or the broker refuses the answers.
            TimeoutError: No answer arrived in time.
            ValueError: The input is under way already.
        """
        return await self._senders[table].key(self._role, self._terminal, wanted)

    def _received(self, topic: str, payload: bytes) -> None:
        name = self._tables.get(topic)
        if name is None:
            return
        try:
            self._senders[name].answered(decode(InputReply, payload))
        except BadPayloadError:
            return  # forged, or of a later version: the input is sent again until a valid answer arrives

    def _up(self) -> None:
        self.fault = ""

    def _down(self, fault: BusError) -> None:
        self.fault = str(fault)

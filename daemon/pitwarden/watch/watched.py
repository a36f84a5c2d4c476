"""Who looks at which table, and what they key there."""

import secrets
from dataclasses import dataclass

from pitwarden_client import ClientError, Table
from pitwarden_client.events.base import Record
from pitwarden_client.events.inputs import Role, TerminalInput
from pitwarden_client.mqtt.errors import BusError

from pitwarden.watch.picture import Picture
from pitwarden.watch.screen import Shown


@dataclass(frozen=True, slots=True)
class Person:
    """Who looks, and may key: a role that the login at the broker has, and a name for the record."""

    role: Role
    name: str
    terminal: str


@dataclass(slots=True)
class Watched:
    """One table on the screen."""

    name: str
    table: Table
    picture: Picture
    refused: str = ""

    async def read(self) -> None:
        """Gathers what the table says, until cancelled; a table that cannot be understood is shown as such."""
        try:
            async for item in self.table:
                self.picture.item(item)
        except ClientError as error:
            self.refused = str(error)

    def shown(self) -> Shown:
        """What to show of it now."""
        stale = (self.refused,) if self.refused else self.table.stale()
        return Shown(self.name, self.table.now, self.picture, stale, reading=not self.table.caught_up)

    async def key(self, person: Person, act: Record) -> str:
        """Keys `act` on what the table says now; what came of it, in words."""
        state = self.table.now.state
        wanted = TerminalInput.model_validate(
            {
                "id": secrets.token_hex(8),
                "person": person.name,
                "as_of": None if state is None else state.as_of,
                "act": act,
            }
        )
        name = wanted.act.act
        try:
            reply = await self.table.key(person.role, person.terminal, wanted)
        except (BusError, TimeoutError) as error:
            return f"{name}: no answer: {error or 'the table did not reply'}"
        return f"{name}: accepted as row {reply.number}" if reply.accepted else f"{name}: refused: {reply.reason}"

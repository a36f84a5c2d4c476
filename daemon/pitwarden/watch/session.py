"""Watched table, its operator, and the acts that settle an irregularity."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pitwarden.watch.screen import ScreenModel
from pitwarden.watch.view_model import TableViewModel
from pitwarden_client import ClientError, TableClient
from pitwarden_client.events.base import Record, Role
from pitwarden_client.events.inputs import TerminalInput
from pitwarden_client.events.outputs import ClearingFact, Irregularity
from pitwarden_client.mqtt.errors import BusError


@dataclass(frozen=True, slots=True)
class Operator:
    """Operator of the screen, who may send inputs: a role that the broker login has, and a name for the record."""

    role: Role
    name: str
    terminal: str


@dataclass(slots=True)
class WatchedTable:
    """One table on the screen."""

    name: str
    table: TableClient
    picture: TableViewModel
    refused: str = ""

    async def read(self) -> None:
        """Collect the table's items until cancelled. A table of an unknown schema version is displayed as such."""
        try:
            async for item in self.table:
                self.picture.item(item)
        except ClientError as error:
            self.refused = str(error)

    def shown(self) -> ScreenModel:
        """Return what the screen displays now."""
        stale = (self.refused,) if self.refused else self.table.stale()
        return ScreenModel(self.name, self.table.now, self.picture, stale, reading=not self.table.caught_up)

    async def key(self, person: Operator, act: Record) -> str:
        """Send `act` with the position of the table's current state, and return the result as a sentence."""
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


CLEARING_INPUTS: Final[Mapping[str, str]] = {
    "ten_destroyed": "ft.ten_destroyed",
    "notified": "ft.notified",
    "visible_told": "ft.reader_visible visible=true",
    "inspected": "ft.inspect device={subject} ok=true",
    "inspected_idle": "ft.inspect device={subject} ok=true",
    "verified": "ft.deck_verified deck={subject}",
    "counted": "ft.deck_verified deck={subject} count=",
    "returned": "ft.deck_returned deck={subject}",
    "opened": "ft.deck_opened deck={subject}",
    "opening": "ft.opening deck={subject}",
    "card_removed": "ft.card_removed deck={deck} count=1 reason=foreign",
    "removed": "ft.device_removed device={subject}",
    "confirmed": "ft.confirmed irregularity={ref}",
    "secured": "ft.table_open secured=true",
    "noted": 'ft.settle_note irregularity={ref} ruling=""',
}
"""Kind of a fact, and the floor's act that establishes it. Play itself establishes the other kinds."""


def clearing_act(case: Irregularity) -> str:
    """Return the act for the first fact that the floor can establish; empty when play itself establishes them."""
    acts = (_act(case, fact) for step in case.clears_facts for fact in step)
    return next((act for act in acts if act), "")


def _act(case: Irregularity, fact: ClearingFact) -> str:
    act = CLEARING_INPUTS.get(fact.kind, "")
    if "{subject}" in act and fact.subject is None:
        return ""
    return act.format(subject=fact.subject, ref=case.ref, deck=case.deck or "")


def refuting_act(case: Irregularity) -> str:
    """Return the act that refutes it, with the reason left to be written."""
    return f'refute irregularity={case.ref} reason=""'

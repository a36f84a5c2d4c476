"""Keying: an act is recorded, sent, answered by the table, and the answer recorded. Each input reaches the table once.

Threat: a double tap, a kill between record and input or between input and answer, and an answer that is lost. The
input's id comes from the sheet, the table answers a repeated id as before, and what has no answer is sent again.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pitwarden_client import BusError
from pitwarden_client.events.base import Position, Role
from pitwarden_client.events.codec import encode
from pitwarden_client.events.inputs import Act, InputReply, TerminalInput
from pitwarden_console.acts.input_link import RoleInputLink
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import StoreError
from pitwarden_console.people.accounts import Account
from pitwarden_console.people.audit import Audit

# Seconds until an act without an answer is sent again, with the same id. A person waits that long on the page.
RESEND_S: Final = 5.0
RESUME_MS: Final = 3_600_000
"""After a restart acts of the last hour are sent again. An older one is of another situation: a person decides."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Sheet on which a person acted: the table, the irregularity, the position that was shown, and the input's id."""

    site: str
    table: str
    ref: str
    input_id: str
    as_of: Position

    @property
    def second_id(self) -> str:
        """Id of the second person's input, where the table demands one."""
        return f"{self.input_id}-2"


@dataclass(frozen=True, slots=True)
class _Keyed:
    """Input of one role, and that of the second person where there is one."""

    table: str
    role: Role
    wanted: TerminalInput
    second_role: Role | None = None
    second_id: str = ""

    @property
    def second(self) -> TerminalInput | None:
        """The same act as the second person keys it; None where the console has one login for both."""
        if self.wanted.witness is None or self.second_role in {None, self.role}:
            return None
        persons = {"person": self.wanted.witness, "witness": self.wanted.person}
        return self.wanted.model_copy(update={"id": self.second_id, **persons})


class Keying:
    """Keying of acts at the tables, with their audit."""

    def __init__(self, links: Mapping[Role, RoleInputLink], audit: Audit, clock: ConsoleClock) -> None:
        self._links, self._audit, self._clock = links, audit, clock
        self._waiting: dict[str, asyncio.Task[None]] = {}

    def fault(self, role: Role | None) -> str:
        """Return why a role can key nothing now; empty when it can."""
        if role is None or role not in self._links:
            return "no login for this role is in the console file"
        return self._links[role].fault

    async def key(
        self, account: Account, sheet: Sheet, act: Act, second: Account | None = None, *, other_login: bool = False
    ) -> None:
        """Record the act and send it; return when the table has answered, or after some seconds without an answer.

        A sheet that was used already is not recorded again: its answer is awaited.

        Args:
            account: Who acts.
            sheet: The sheet on which they acted.
            act: The act.
            second: Who has signed for it too.
            other_login: True: the table may wait for the input of `second` at another login. Elsewhere the console
                sends none, since a table that takes a name refused the act itself.

        Raises:
            StoreError: The act could not be recorded, and was not sent.
        """
        role = account.input_role
        if role is None or not account.may(act.act):
            raise ValueError(f"{account.role} must not key {act.act}: the caller has to check it")
        witness = None if second is None else second.person
        second_role = second.input_role if second is not None and other_login else None
        if "act" not in await self._audit.of_input(sheet.input_id):
            await self._audit.add(
                "act", person=account.person, role=role, input_id=sheet.input_id, site=sheet.site, table=sheet.table,
                ref=sheet.ref, as_of=sheet.as_of.model_dump(), act=act.model_dump(mode="json"), witness=witness,
                witness_role=second_role, witness_input=sheet.second_id if second_role else None,
            )  # fmt: skip
        wanted = TerminalInput(id=sheet.input_id, person=account.person, as_of=sheet.as_of, act=act, witness=witness)
        keyed = _Keyed(sheet.table, role, wanted, second_role, sheet.second_id)
        await asyncio.wait({self._start(keyed)}, timeout=RESEND_S)

    async def resume(self) -> None:
        """Send again what has no answer, after a restart.

        Raises:
            StoreError: The database failed.
        """
        for entry in await self._audit.unanswered(self._clock.utc_ms() - RESUME_MS):
            wanted = TerminalInput.model_validate(
                {
                    "id": entry["input"], "person": entry["person"], "as_of": entry["as_of"], "act": entry["act"],
                    "witness": entry.get("witness"),
                }
            )  # fmt: skip
            role, second_role = _role(entry["role"]), entry.get("witness_role")
            second = None if second_role is None else _role(second_role)
            if role in self._links:
                self._start(_Keyed(str(entry["table"]), role, wanted, second, str(entry.get("witness_input"))))

    async def close(self) -> None:
        """Stop waiting for answers; what has none is sent again by the next start."""
        for task in self._waiting.values():
            task.cancel()
        await asyncio.gather(*self._waiting.values(), return_exceptions=True)

    def _start(self, keyed: _Keyed) -> "asyncio.Task[None]":
        ident = keyed.wanted.id
        known = self._waiting.get(ident)
        if known is not None:
            return known
        made = asyncio.create_task(self._until_answered(keyed), name=f"input {ident}")
        self._waiting[ident] = made
        made.add_done_callback(lambda _: self._waiting.pop(ident, None))
        return made

    async def _until_answered(self, keyed: _Keyed) -> None:
        while True:
            try:
                reply = await self._replied(keyed)
            except (BusError, TimeoutError):
                await asyncio.sleep(RESEND_S)
                continue
            if await self._recorded(keyed.wanted, keyed.role, reply):
                return

    async def _replied(self, keyed: _Keyed) -> InputReply:
        """Return the table's answer. Where it waits for the second person's own login, it refuses the first input.

        Both persons have signed: the second input states nothing that one of them did not see. A table that refused the
        first one for another reason refuses the second one for it too.
        """
        reply = await self._links[keyed.role].key(keyed.table, keyed.wanted)
        second, role = keyed.second, keyed.second_role
        if reply.accepted or second is None or role is None or role not in self._links:
            return reply
        return await self._links[role].key(keyed.table, second)

    async def _recorded(self, wanted: TerminalInput, role: Role, reply: InputReply) -> bool:
        try:
            if "answer" not in await self._audit.of_input(wanted.id):
                await self._audit.add(
                    "answer", person=wanted.person, role=role, input_id=wanted.id, accepted=reply.accepted,
                    number=reply.number, reason=reply.reason, input_bytes=encode(wanted).decode(),
                )  # fmt: skip
        except StoreError:
            await asyncio.sleep(RESEND_S)
            return False
        return True


def _role(name: object) -> Role:
    return "supervisor" if name == "supervisor" else "floor"

"""Page of one irregularity, with the sheet from which a person acts, and what became of an act."""

import re
import secrets
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

from pydantic import ValidationError
from starlette.exceptions import HTTPException

from pitwarden_client.events.base import Position, Role
from pitwarden_client.events.inputs import Act
from pitwarden_client.events.named_cards import names_card
from pitwarden_console.acts.choices import ActChoice, allowed, choices, filled, further_choices
from pitwarden_console.acts.keying import Keying, Sheet
from pitwarden_console.acts.second_person import WaitingAct
from pitwarden_console.alarms.house_acts import may
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.board.snapshot import OpenItem
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.people.accounts import Account
from pitwarden_console.people.audit import Audit
from pitwarden_console.web.hub import LivePart
from pitwarden_console.web.rendering import Renderer, safe
from pitwarden_console.web.second_person_pages import SecondPersonPages

_INPUT_ID: Final = re.compile(r"[0-9a-f]{24}")
_KEYING: Final[tuple[Role, ...]] = ("floor", "supervisor")


class ActPages:
    """Values of the page, and the keying of a form that it sent."""

    def __init__(
        self, board: PitBoard, renderer: Renderer, keying: Keying, audit: Audit, second: SecondPersonPages
    ) -> None:
        self._board, self._renderer, self._keying, self._audit = board, renderer, keying, audit
        self._second = second

    def parts(self, key: TableKey, ref: str) -> Sequence[LivePart]:
        """Return the live part of the page."""
        return (
            LivePart("incident", frozenset((key,)), lambda: self._incident(key, ref), f"{key.site}/{key.name}/{ref}"),
        )

    async def page(self, key: TableKey, ref: str, account: Account | None, input_id: str) -> Mapping[str, object]:
        """Return the values of the page for `account`, with the answer to `input_id` if it was sent from here.

        Raises:
            StoreError: The database failed.
        """
        table, item = self._board.snapshots[key], self._item(key, ref)
        case = None if item is None else item.irregularity
        sent = await self._audit.of_input(input_id) if input_id else {}
        made = () if case is None else choices(case)
        further = () if case is None else further_choices(case)
        state = None if account is None else table.state
        return {
            "key": key, "ref": ref, "item": item, "incident": safe(self._incident(key, ref)),
            "account": account, "fault": "" if account is None else self._keying.fault(account.input_role),
            "clearing": () if account is None or state is None else allowed(made, account, state, ref),
            "known": made,
            "further": () if account is None or state is None else allowed(further, account, state, ref),
            "input_id": secrets.token_hex(12), "as_of": None if table.state is None else table.state.as_of,
            "sent": sent.get("act"), "answer": sent.get("answer"), "live": table.is_live,
            "may_shelve": may(account, "shelve"), "may_note": may(account, "note"),
            **self._second.values(key, await self._second.waiting(key, ref), account),
        }  # fmt: skip

    async def act(self, key: TableKey, ref: str, account: Account, fields: Mapping[str, str]) -> str:
        """Key the act of a form; return the input's id, under which its answer is recorded.

        An act of two persons is not sent yet: it waits for the second one.

        Raises:
            SheetError: What was filled in makes no act.
            HTTPException: The table is not live, nothing is open under `ref`, or the account must not key this.
            StoreError: The act could not be recorded; it was not sent.
        """
        choice = await self._permitted(key, ref, account, fields.get("choice", ""))
        act = filled(choice, fields.get("words", ""), fields.get("count", ""))
        self._refuse_named_card(key, act)
        sheet = self._sheet(key, ref, fields)
        if self._second.demand(key, choice, fields):
            await self._second.ask(sheet, choice, act, account)
        else:
            await self._keying.key(account, sheet, act)
        return sheet.input_id

    async def sign(self, key: TableKey, ref: str, second: Account, input_id: str) -> None:
        """Send the act that waits under `input_id`, which `second` signs for.

        Raises:
            HTTPException: It no longer waits, the table is not live, or this person cannot be the second one.
            StoreError: The act could not be recorded; it was not sent.
        """
        one = await self._waiting(key, ref, input_id)
        await self._permitted(key, ref, second, one.choice.name)
        self._refuse_named_card(key, one.act)
        await self._second.sign(key, one, second)

    async def withdraw(self, key: TableKey, ref: str, account: Account, input_id: str) -> None:
        """End the wait of the act under `input_id`.

        Raises:
            HTTPException: It no longer waits, or another person asks.
            StoreError: It could not be recorded, and still waits.
        """
        await self._second.withdraw(await self._waiting(key, ref, input_id), account)

    async def renew(self, key: TableKey, ref: str, account: Account, input_id: str) -> None:
        """Give the second person of the act under `input_id` another minute.

        Raises:
            HTTPException: It no longer waits, or another person asks.
            StoreError: The database failed.
        """
        self._second.renew(await self._waiting(key, ref, input_id), account)

    async def _waiting(self, key: TableKey, ref: str, input_id: str) -> WaitingAct:
        found = await self._second.waiting(key, ref)
        if found is None or found.sheet.input_id != input_id:
            raise HTTPException(HTTPStatus.CONFLICT, self._second.outcome(input_id))
        return found

    async def _permitted(self, key: TableKey, ref: str, account: Account, name: str) -> ActChoice:
        """Return the act that is named `name` on the sheet, if the account may key it now."""
        table, item = self._board.snapshots[key], self._item(key, ref)
        if not table.is_live:
            raise HTTPException(HTTPStatus.CONFLICT, f"The table is not live: {table.stale[0]}. Nothing was sent.")
        if item is None or item.irregularity is None:
            raise HTTPException(HTTPStatus.CONFLICT, "This irregularity has ended. Nothing was sent.")
        made = (*choices(item.irregularity), *further_choices(item.irregularity))
        choice = next((each for each in made if each.name == name), None)
        if choice is None:
            raise HTTPException(HTTPStatus.CONFLICT, "The sheet has changed. Load the page again. Nothing was sent.")
        if not account.may(choice.act):
            await self._refused(account, key, ref, choice)
            raise HTTPException(
                HTTPStatus.FORBIDDEN, f"The role {account.role} must not key {choice.act}. Nothing was sent."
            )
        if table.state is not None and not allowed((choice,), account, table.state, ref):
            await self._refused(account, key, ref, choice)
            raise HTTPException(
                HTTPStatus.FORBIDDEN, "This is about an act of your own, or of your role. Nothing was sent."
            )
        return choice

    def _refuse_named_card(self, key: TableKey, act: Act) -> None:
        # The table refuses it too, but the act would be in the audit by then.
        if names_card(act) and self._board.snapshots[key].may_hide_cards:
            raise HTTPException(
                HTTPStatus.CONFLICT, "In a round a card may lie face down: name none. Nothing was sent."
            )

    async def _refused(self, account: Account, key: TableKey, ref: str, choice: ActChoice) -> None:
        await self._audit.add(
            "refused-act", person=account.person, role=account.role, site=key.site, table=key.name, ref=ref,
            act={"act": choice.act},
        )  # fmt: skip

    @staticmethod
    def _sheet(key: TableKey, ref: str, fields: Mapping[str, str]) -> Sheet:
        """Return the sheet with the position that it showed, not the newest one."""
        ident, number = fields.get("input", ""), fields.get("number", "")
        incomplete = HTTPException(
            HTTPStatus.CONFLICT, "The form is not complete. Load the page again. Nothing was sent."
        )
        if not _INPUT_ID.fullmatch(ident) or not number.isdigit():
            raise incomplete
        try:
            as_of = Position(epoch=fields.get("epoch", ""), number=int(number[:17]))
        except ValidationError:
            raise incomplete from None
        return Sheet(key.site, key.name, ref, ident, as_of)

    def _item(self, key: TableKey, ref: str) -> OpenItem | None:
        return next((item for item in self._board.snapshots[key].open if item.ref == ref), None)

    def _incident(self, key: TableKey, ref: str) -> str:
        table = self._board.snapshots[key]
        item = self._item(key, ref)
        shelf = "" if item is None or item.shelf is None else item.state
        # The page loads again when acting on it becomes possible or impossible, and when a shelving changes its forms.
        shape = f"{table.is_live} {' '.join(role for role in _KEYING if not self._keying.fault(role))} {shelf}"
        shape += f" {self._second.mark(key, ref)}"
        return self._renderer.part("incident", table, item, ref, shape)

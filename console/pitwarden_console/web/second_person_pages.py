"""Second person of an act on the page of an irregularity: asked for, signed, renewed, withdrawn or expired."""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException

from pitwarden_client import TableView
from pitwarden_client.events.inputs import Act
from pitwarden_console.acts.choices import ActChoice
from pitwarden_console.acts.keying import Keying, Sheet
from pitwarden_console.acts.second_person import (
    WaitingAct,
    WaitingActs,
    is_needed,
    is_offered,
    may_need_other_login,
    refusal,
)
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import StoreError
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.people.accounts import Account
from pitwarden_console.people.audit import Audit, EntryKind


class SecondPersonPages:
    """Steps of an act between its first and its second person."""

    def __init__(self, board: PitBoard, keying: Keying, audit: Audit, clock: ConsoleClock) -> None:
        self._board, self._keying, self._audit = board, keying, audit
        self._acts = WaitingActs(clock)

    async def waiting(self, key: TableKey, ref: str) -> WaitingAct | None:
        """Return what waits at an irregularity, and record what has expired anywhere.

        Raises:
            StoreError: The database failed.
        """
        for over in self._acts.expired():
            asked = f"{over.first.name}, {over.first.person}, has to ask again"
            if self._acts.end(over, f"The time for the second person is over: {asked}. Nothing was sent."):
                await self._recorded_end("second-expired", over, over.first)
        return self._acts.waiting(key.site, key.name, ref)

    def outcome(self, input_id: str) -> str:
        """Return what became of the act that waited under `input_id`, in a sentence."""
        return self._acts.outcome(input_id)

    def mark(self, key: TableKey, ref: str) -> str:
        """Return what changes when another act waits at an irregularity, or none."""
        found = self._acts.waiting(key.site, key.name, ref)
        return "" if found is None else found.sheet.input_id

    def demand(self, key: TableKey, choice: ActChoice, fields: Mapping[str, str]) -> bool:
        """Return whether a second person signs: the table demands it, or the first person requests it."""
        return is_needed(self._view(key), choice.act) or bool(fields.get("second"))

    def values(self, key: TableKey, one: WaitingAct | None, account: Account | None) -> Mapping[str, object]:
        """Return the values of the page: what waits, and whether this person can sign for it."""
        view = self._view(key)
        why_not = "" if one is None or account is None else refusal(one, account, view)
        return {
            "waiting": one,
            "is_first": one is not None and account is not None and account.person == one.first.person,
            "why_not": why_not,
            "needs_second": lambda act: is_needed(view, act),
            "offered": is_offered(view),
        }

    async def ask(self, sheet: Sheet, choice: ActChoice, act: Act, first: Account) -> None:
        """Let an act wait for its second person.

        Raises:
            StoreError: It could not be recorded, and does not wait.
        """
        known = self._acts.waiting(sheet.site, sheet.table, sheet.ref)
        if known is not None and known.sheet.input_id == sheet.input_id:
            return  # a double tap
        # It waits before anything is awaited, so that the second tap finds it.
        made, replaced = self._acts.ask(sheet, choice, act, first)
        try:
            await self._record("second-asked", made, first)
        except StoreError:
            self._acts.end(made, "The act could not be recorded. Nothing was sent.")
            raise
        self._changed(made)
        if replaced is not None:
            await self._record("second-withdrawn", replaced, first)

    async def sign(self, key: TableKey, one: WaitingAct, second: Account) -> None:
        """Send the act that `second` has signed for as well.

        Raises:
            HTTPException: This person cannot be the second one, or the act no longer waits.
            StoreError: The act could not be recorded; it was not sent.
        """
        why_not = refusal(one, second, self._view(key))
        if why_not:
            await self._record("second-refused", one, second)
            raise HTTPException(HTTPStatus.FORBIDDEN, f"{why_not} Nothing was sent.")
        signed = f"{second.name}, {second.person}, has signed for this act already. It was sent once, and not again."
        self._end(one, signed)
        self._changed(one)
        try:
            await self._keying.key(
                one.first, one.sheet, one.act, second, other_login=may_need_other_login(self._view(key))
            )
        except StoreError:
            self._acts.put_back(one)
            raise

    async def withdraw(self, one: WaitingAct, account: Account) -> None:
        """End the wait of an act: its first person has changed their mind.

        Raises:
            HTTPException: Another person asks, or it no longer waits.
            StoreError: It could not be recorded, and still waits.
        """
        self._first_only(one, account)
        self._end(one, f"{account.name}, {account.person}, has withdrawn this act. Nothing was sent.")
        await self._recorded_end("second-withdrawn", one, account)

    def renew(self, one: WaitingAct, account: Account) -> None:
        """Give the second person another minute.

        Raises:
            HTTPException: Another person asks, or it no longer waits.
        """
        self._first_only(one, account)
        if not self._acts.renew(one):
            raise HTTPException(HTTPStatus.CONFLICT, self._acts.outcome(one.sheet.input_id))
        self._changed(one)

    def _end(self, one: WaitingAct, outcome: str) -> None:
        """End a wait, before anything is awaited: of two who do it at the same time one gets the answer."""
        if not self._acts.end(one, outcome):
            raise HTTPException(HTTPStatus.CONFLICT, self._acts.outcome(one.sheet.input_id))

    async def _recorded_end(self, kind: EntryKind, one: WaitingAct, by: Account) -> None:
        try:
            await self._record(kind, one, by)
        except StoreError:
            self._acts.put_back(one)
            raise
        self._changed(one)

    @staticmethod
    def _first_only(one: WaitingAct, account: Account) -> None:
        if account.person != one.first.person:
            raise HTTPException(HTTPStatus.FORBIDDEN, "Only the person who asked can do this.")

    async def _record(self, kind: EntryKind, one: WaitingAct, by: Account) -> None:
        await self._audit.add(
            kind, person=by.person, role=by.role, site=one.sheet.site, table=one.sheet.table, ref=one.sheet.ref,
            act=one.act.model_dump(mode="json"), first=one.first.person, sheet=one.sheet.input_id,
        )  # fmt: skip

    def _changed(self, one: WaitingAct) -> None:
        key = self._board.find(one.sheet.site, one.sheet.table)
        if key is not None:
            self._board.mark(key)

    def _view(self, key: TableKey) -> TableView:
        return self._board.feed(key).view

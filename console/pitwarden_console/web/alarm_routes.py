"""Addresses of alarm management: silence, start of a shift, shelving, notes, and what ended unseen."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pitwarden_console.alarms.house_acts import HouseAct, HouseActError, HouseActs, may
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.people.accounts import Account
from pitwarden_console.store.history import MAX_COUNT
from pitwarden_console.web.handlers import HandledAddress, Handler, PageMaker, TableFinder
from pitwarden_console.web.session_guard import SessionGuard, local_path, session_of


class AlarmRoutes:
    """Handlers of alarm management. `page` makes a page, `find` finds the table of an address."""

    def __init__(
        self, guard: SessionGuard, acts: HouseActs, board: PitBoard, *, page: PageMaker, find: TableFinder,
    ) -> None:  # fmt: skip
        self._guard, self._acts, self._board = guard, acts, board
        self._page, self._find = page, find

    def routes(self) -> list[HandledAddress]:
        """Return address, handler and methods."""
        incident, report = "/table/{site}/{name}/incident/{ref}", "/report/{site}/{name}/{ref}"
        return [
            ("/silence", self._silence, ("POST",)),
            ("/shift", self._shift_page, ("GET",)),
            ("/shift", self._shift, ("POST",)),
            ("/unseen", self._unseen, ("GET",)),
            (f"{incident}/shelve", self._about("shelve", self._shelve), ("POST",)),
            (f"{incident}/unshelve", self._about("unshelve", self._unshelve), ("POST",)),
            (f"{report}/note", self._about("note", self._note), ("POST",)),
            (f"{report}/look", self._about("seen", self._look), ("POST",)),
        ]

    def _about(
        self, act: HouseAct, run: Callable[[Account, TableKey, str, Mapping[str, str]], Awaitable[None]]
    ) -> Handler:
        """Return the handler of an act about an incident, which leads back to the page that sent it."""

        async def handler(request: Request) -> Response:
            page = request.url.path.rpartition("/")[0]
            account, fields = await self._checked(request, act, page)
            key, ref = self._find(request), request.path_params["ref"]
            try:
                await run(account, key, ref, fields)
            except HouseActError as error:
                raise HTTPException(HTTPStatus.CONFLICT, f"{error} Nothing was done.") from None
            return RedirectResponse(local_path(fields.get("next", "/")), HTTPStatus.SEE_OTHER)

        return handler

    async def _checked(self, request: Request, act: HouseAct, page: str) -> tuple[Account, Mapping[str, str]]:
        session = session_of(request)
        fields = await self._guard.act_form(request, session, page)
        if not may(session.account, act):
            raise HTTPException(
                HTTPStatus.FORBIDDEN, f"The role {session.account.role} must not {act}. Nothing was done."
            )
        return session.account, fields

    async def _shelve(self, account: Account, key: TableKey, ref: str, fields: Mapping[str, str]) -> None:
        minutes, reason = fields.get("minutes", ""), fields.get("reason", "")
        await self._acts.shelve(account, key, ref, minutes=minutes, reason=reason)

    async def _unshelve(self, account: Account, key: TableKey, ref: str, _fields: Mapping[str, str]) -> None:
        await self._acts.unshelve(account, key, ref)

    async def _note(self, account: Account, key: TableKey, ref: str, fields: Mapping[str, str]) -> None:
        await self._acts.note(account, key, ref, text=fields.get("text", ""))

    async def _look(self, account: Account, key: TableKey, ref: str, _fields: Mapping[str, str]) -> None:
        await self._acts.look(account, key, ref)

    async def _silence(self, request: Request) -> Response:
        account, fields = await self._checked(request, "silence", "/")
        pit = fields.get("pit") or None
        try:
            await self._acts.silence(account, pit)
        except HouseActError as error:
            raise HTTPException(HTTPStatus.CONFLICT, f"{error} Nothing was done.") from None
        return RedirectResponse(local_path(fields.get("next", "/")), HTTPStatus.SEE_OTHER)

    async def _shift_page(self, request: Request) -> Response:
        return self._page("shift.html", request, {"pits": self._board.pits()})

    async def _shift(self, request: Request) -> Response:
        account, fields = await self._checked(request, "shift", "/shift")
        pit = fields.get("pit", "")
        if pit and pit not in self._board.pits():
            raise HTTPException(HTTPStatus.CONFLICT, "There is no such pit. Nothing was done.")
        try:
            await self._acts.start_shift(
                account, pit=pit, device=fields.get("device", ""), sound=fields.get("sound", "")
            )  # fmt: skip
        except HouseActError as error:
            raise HTTPException(HTTPStatus.CONFLICT, f"{error} Nothing was done.") from None
        return RedirectResponse(f"/pit/{quote(pit, safe='')}" if pit else "/", HTTPStatus.SEE_OTHER)

    async def _unseen(self, request: Request) -> Response:
        simulated = request.query_params.get("simulated") == "yes"
        found, count = await self._acts.remarks.unseen(simulated=simulated)
        session = getattr(request.state, "session", None)
        values = {
            "found": found, "count": count, "most": MAX_COUNT, "simulated": simulated,
            "may_look": may(None if session is None else session.account, "seen"),
        }  # fmt: skip
        return self._page("unseen.html", request, values)

"""Addresses at which a person signs in and out, acts, and reads what was done through the console."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pitwarden_console.acts.choices import SheetError
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.people.accounts import Account
from pitwarden_console.people.audit import Audit
from pitwarden_console.people.sessions import AccountSession
from pitwarden_console.site_time import SiteTime
from pitwarden_console.web.act_pages import ActPages
from pitwarden_console.web.history_pages import day_of
from pitwarden_console.web.session_guard import COOKIE, SessionGuard, local_path, set_cookie

_SEE_OTHER: Final = 303
_FORBIDDEN: Final = 403

PageMaker = Callable[..., Response]
Handler = Callable[[Request], Awaitable[Response]]


class TableFinder(Protocol):
    """Finder of a table in the console file."""

    def __call__(self, request: Request) -> TableKey:
        """Return the key of the table in a request's address; HTTPException for another one."""
        ...


class PeopleRoutes:
    """Handlers about people. `page` makes a page, `find` finds the table of an address."""

    def __init__(
        self, guard: SessionGuard, acts: ActPages, audit: Audit, time: SiteTime, clock: ConsoleClock,
        *, page: PageMaker, find: TableFinder,
    ) -> None:  # fmt: skip
        self._guard, self._acts, self._audit, self._time, self._clock = guard, acts, audit, time, clock
        self._page, self._find = page, find

    def open_routes(self) -> list[Route]:
        """Return the routes that need no session."""
        return [
            Route("/sign-in", self._sign_in_page),
            Route("/sign-in", self._sign_in, methods=["POST"]),
        ]

    def routes(self) -> list[tuple[str, Handler, tuple[str, ...]]]:
        """Return address, handler and methods of those that need a session."""
        incident = "/table/{site}/{name}/incident/{ref}"
        return [
            ("/sign-out", self._sign_out, ("POST",)),
            (incident, self._incident, ("GET",)),
            (incident, self._act, ("POST",)),
            ("/audit", self._audit_page, ("GET",)),
        ]

    async def _sign_in_page(self, request: Request) -> Response:
        target = local_path(request.query_params.get("next", "/"))
        return self._page("sign_in.html", request, {"next": target, "failed": False})

    async def _sign_in(self, request: Request) -> Response:
        fields = await self._guard.form(request, None)
        target = local_path(fields.get("next", "/"))
        token = await self._guard.sign_in(request, fields.get("login", ""), fields.get("password", ""))
        if token is None:
            return self._page("sign_in.html", request, {"next": target, "failed": True}, _FORBIDDEN)
        answer = RedirectResponse(target, _SEE_OTHER)
        set_cookie(answer, token)
        return answer

    async def _sign_out(self, request: Request) -> Response:
        session = session_in(request)
        await self._guard.form(request, session)
        await self._guard.sign_out(session)
        answer = RedirectResponse("/sign-in", _SEE_OTHER)
        answer.delete_cookie(COOKIE, secure=True, httponly=True, samesite="strict")
        return answer

    async def _incident(self, request: Request) -> Response:
        key, ref = self._find(request), request.path_params["ref"]
        session: AccountSession | None = request.state.session
        account = None if session is None else session.account
        values = await self._acts.page(key, ref, account, request.query_params.get("input", "")[:64])
        return self._page(
            "incident.html", request, {"stream": f"/stream{request.url.path}", "crumb": key.pit, **values}
        )

    async def _act(self, request: Request) -> Response:
        session = session_in(request)
        fields = await self._guard.form(request, session)
        self._guard.count_act(session.account)
        key, ref = self._find(request), request.path_params["ref"]
        try:
            input_id = await self._acts.act(key, ref, session.account, fields)
        except SheetError as error:
            raise HTTPException(400, f"{error} Nothing was sent.") from None
        return RedirectResponse(f"{request.url.path}?input={input_id}", _SEE_OTHER)

    async def _audit_page(self, request: Request) -> Response:
        day = day_of(request.query_params.get("first", ""), self._time.gaming_day(self._clock.utc_ms()))
        starts, ends = self._time.day_range_ms(day)
        values: Mapping[str, object] = {
            "first": day, "entries": await self._audit.between(starts, ends), "chain": await self._audit.check(),
        }  # fmt: skip
        return self._page("audit.html", request, values)


def session_in(request: Request) -> AccountSession:
    """Return the session of a request; HTTPException where no one has to sign in, and so no one can act."""
    session: AccountSession | None = request.state.session
    if session is None:
        raise HTTPException(_FORBIDDEN, "The pages of this console can only be read.")
    return session


def account_of(request: Request) -> Account | None:
    """Return the account that is signed in; None where no one has to sign in."""
    session: AccountSession | None = getattr(request.state, "session", None)
    return None if session is None else session.account

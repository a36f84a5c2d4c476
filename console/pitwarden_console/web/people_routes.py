"""Addresses at which a person acts, and reads what was done through the console."""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pitwarden_console.acts.choices import SheetError
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.people.accounts import Account
from pitwarden_console.people.audit import Audit
from pitwarden_console.people.pins import MAX_DIGITS
from pitwarden_console.people.sessions import AccountSession
from pitwarden_console.site_time import SiteTime
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.pseudonym_records import pseudonyms_as_recorded
from pitwarden_console.web.act_pages import ActPages
from pitwarden_console.web.credential_guard import CredentialGuard
from pitwarden_console.web.handlers import HandledAddress, PageMaker, TableFinder
from pitwarden_console.web.history_pages import day_of
from pitwarden_console.web.session_guard import SessionGuard, session_of


class PeopleRoutes:
    """Handlers about people. `page` makes a page, `find` finds the table of an address."""

    def __init__(
        self, guard: SessionGuard, acts: ActPages, audit: Audit, time: SiteTime, clock: ConsoleClock,
        *, database: HistoryDatabase, credentials: CredentialGuard, page: PageMaker, find: TableFinder,
        has_passkeys: bool,
    ) -> None:  # fmt: skip
        self._guard, self._credentials, self._acts = guard, credentials, acts
        self._audit, self._time, self._clock, self._database = audit, time, clock, database
        self._page, self._find, self._has_passkeys = page, find, has_passkeys

    def routes(self) -> list[HandledAddress]:
        """Return address, handler and methods of those that need a session."""
        incident = "/table/{site}/{name}/incident/{ref}"
        return [
            (incident, self._incident, ("GET",)),
            (incident, self._act, ("POST",)),
            ("/audit", self._audit_page, ("GET",)),
        ]

    async def _incident(self, request: Request) -> Response:
        key, ref = self._find(request), request.path_params["ref"]
        session: AccountSession | None = request.state.session
        account = None if session is None else session.account
        values = await self._acts.page(key, ref, account, request.query_params.get("input", "")[:64])
        more = {"stream": f"/stream{request.url.path}", "crumb": key.pit, "has_passkeys": self._has_passkeys}
        return self._page("incident.html", request, {**more, **values})

    async def _act(self, request: Request) -> Response:
        session = session_of(request)
        fields = await self._guard.act_form(request, session, request.url.path)
        key, ref = self._find(request), request.path_params["ref"]
        step, input_id = fields.get("step", "act"), fields.get("input", "")
        try:
            if step == "sign":
                await self._acts.sign(key, ref, await self._second(request, session, fields), input_id)
            elif step == "withdraw":
                await self._acts.withdraw(key, ref, session.account, input_id)
            elif step == "renew":
                await self._acts.renew(key, ref, session.account, input_id)
            else:
                input_id = await self._acts.act(key, ref, session.account, fields)
        except SheetError as error:
            raise HTTPException(HTTPStatus.BAD_REQUEST, f"{error} Nothing was sent.") from None
        return RedirectResponse(f"{request.url.path}?input={input_id}", HTTPStatus.SEE_OTHER)

    async def _second(self, request: Request, session: AccountSession, fields: Mapping[str, str]) -> Account:
        """Return who signs as the second person: by login or passkey on the first one's page, else the session's."""
        if "credential" in fields:
            owner = await self._credentials.by_passkey(request, fields)
            if owner is None:
                raise HTTPException(HTTPStatus.FORBIDDEN, "The passkey was not accepted. Nothing was sent.")
            return owner
        if "login" not in fields:
            return session.account
        login, secret = fields["login"], fields.get("password", "")
        # A password is longer than any PIN.
        by_pin = secret.isdigit() and len(secret) <= MAX_DIGITS
        check = self._credentials.by_pin if by_pin else self._credentials.by_password
        found = await check(request, login, secret)
        if found is None:
            raise HTTPException(
                HTTPStatus.FORBIDDEN, "Login or password of the second person is wrong. Nothing was sent."
            )
        return found

    async def _audit_page(self, request: Request) -> Response:
        day = day_of(request.query_params.get("first", ""), self._time.gaming_day(self._clock.utc_ms()))
        starts, ends = self._time.day_range_ms(day)
        values: Mapping[str, object] = {
            "first": day,
            "entries": await self._audit.between(starts, ends),
            "chain": await self._audit.check(),
            "pseudonyms": None,
        }
        if request.query_params.get("pseudonyms"):
            values = {**values, "pseudonyms": await pseudonyms_as_recorded(self._database)}
        return self._page("audit.html", request, values)

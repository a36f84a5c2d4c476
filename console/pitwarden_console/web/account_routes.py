"""Addresses of the own sign-in, of the return to a shared device, and of an administrator who ends sessions."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from pitwarden_console.people.accounts import Account, AccountError
from pitwarden_console.people.audit import Audit, EntryKind
from pitwarden_console.people.passkeys import PasskeyBook, PasskeyError
from pitwarden_console.people.sessions import AccountSession, SignInMethod
from pitwarden_console.roles import ADMINISTRATOR
from pitwarden_console.web.credential_guard import CredentialGuard
from pitwarden_console.web.handlers import HandledAddress, PageMaker
from pitwarden_console.web.session_guard import SessionGuard, local_path, session_of, set_cookie

_MAX_DIGITS: Final = 15  # more than any number in a store


@dataclass(frozen=True, slots=True)
class AccountParts:
    """Parts that the handlers use. `passkeys` is None where the console has none."""

    guard: SessionGuard
    credentials: CredentialGuard
    passkeys: PasskeyBook | None
    audit: Audit


class AccountRoutes:
    """Handlers about the own sign-in, and of an administrator. `page` makes a page."""

    def __init__(self, parts: AccountParts, *, page: PageMaker) -> None:
        self._parts, self._page = parts, page

    def routes(self) -> list[HandledAddress]:
        """Return address, handler and methods; all need a session."""
        return [
            ("/account", self._account, ("GET",)),
            ("/account/pin", self._set_pin, ("POST",)),
            ("/account/passkey/options", self._begin_registration, ("POST",)),
            ("/account/passkey", self._register, ("POST",)),
            ("/account/passkey/remove", self._remove_own, ("POST",)),
            ("/presence", self._presence, ("POST",)),
            ("/again", self._again_page, ("GET",)),
            ("/again", self._again, ("POST",)),
            ("/people", self._people, ("GET",)),
            ("/people/session/end", self._end_session, ("POST",)),
            ("/people/passkey/remove", self._remove_of_other, ("POST",)),
        ]

    async def _account(self, request: Request) -> Response:
        owner, parts = session_of(request).account, self._parts
        values: Mapping[str, object] = {
            "passkeys": None if parts.passkeys is None else await parts.passkeys.of(owner),
            "has_pin": await parts.credentials.pins.has(owner),
        }
        return self._page("account.html", request, values)

    async def _set_pin(self, request: Request) -> Response:
        session, fields = await self._sent_by_proved(request)
        try:
            await self._parts.credentials.pins.set(session.account, fields.get("pin", ""))
        except AccountError as error:
            raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
        await self._record("pin-set", session)
        return RedirectResponse("/account", HTTPStatus.SEE_OTHER)

    async def _begin_registration(self, request: Request) -> Response:
        session, _ = await self._sent_by_proved(request)
        self._parts.credentials.count_try(request)
        try:
            ceremony = await self._passkeys().registration(session.account)
        except PasskeyError as error:
            raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
        return JSONResponse({"ceremony": ceremony.name, "options": ceremony.options})

    async def _register(self, request: Request) -> Response:
        session, fields = await self._sent_by_proved(request)
        label, name, answer = fields.get("label", ""), fields.get("ceremony", ""), fields.get("credential", "")
        try:
            await self._passkeys().register(session.account, name, answer, label)
        except PasskeyError as error:
            raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
        await self._record("passkey-added", session)
        return RedirectResponse("/account", HTTPStatus.SEE_OTHER)

    async def _remove_own(self, request: Request) -> Response:
        session, fields = await self._sent_by_proved(request)
        await self._remove(session, session.account, fields)
        return RedirectResponse("/account", HTTPStatus.SEE_OTHER)

    async def _presence(self, request: Request) -> Response:
        """Record a touch that `presence.js` reports."""
        session, _ = await self._sent(request)
        await self._parts.guard.sessions.touch(session)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def _again_page(self, request: Request) -> Response:
        session = session_of(request)
        return self._again_form(request, session, local_path(request.query_params.get("next", "/")), "")

    async def _again(self, request: Request) -> Response:
        """Bring a person back, or change the person: by PIN, password or passkey."""
        session, fields = await self._sent(request)
        target, credentials = local_path(fields.get("next", "/")), self._parts.credentials
        login, pin, password = fields.get("login", ""), fields.get("pin", ""), fields.get("password", "")
        method: SignInMethod = "passkey" if "credential" in fields else "pin" if pin else "password"
        if method == "passkey":
            found = await credentials.by_passkey(request, fields)
        elif method == "pin":
            found = await credentials.by_pin(request, login, pin)
        else:
            found = await credentials.by_password(request, login, password)
        if found is None:
            return self._again_form(request, session, target, "That was not accepted.", HTTPStatus.FORBIDDEN)
        # A new token also for the same person: what another one saw of the old session ends here.
        token = await self._parts.guard.begin(request, found, method, session)
        answer = RedirectResponse(target, HTTPStatus.SEE_OTHER)
        set_cookie(answer, token, self._parts.guard.sessions.times.shift_ms)
        return answer

    async def _people(self, request: Request) -> Response:
        self._administrator(request)
        parts = self._parts
        accounts = await parts.credentials.accounts.open_accounts()
        values: Mapping[str, object] = {
            "sessions": await parts.guard.sessions.open_now(),
            "accounts": [(one, [] if parts.passkeys is None else await parts.passkeys.of(one)) for one in accounts],
        }
        return self._page("people.html", request, values)

    async def _end_session(self, request: Request) -> Response:
        administrator = self._administrator(request)
        _, fields = await self._sent_by_proved(request)
        ended = _number(fields.get("session", ""))
        whose = await self._parts.guard.sessions.end(ended, administrator.person)
        if whose is not None:
            await self._parts.audit.add(
                "session-ended", person=administrator.person, role=administrator.role, session=ended, whose=whose
            )
        return RedirectResponse("/people", HTTPStatus.SEE_OTHER)

    async def _remove_of_other(self, request: Request) -> Response:
        self._administrator(request)
        session, fields = await self._sent_by_proved(request)
        owner = await self._parts.credentials.accounts.of_ident(_number(fields.get("account", "")))
        if owner is not None:
            await self._remove(session, owner, fields)
        return RedirectResponse("/people", HTTPStatus.SEE_OTHER)

    async def _remove(self, session: AccountSession, owner: Account, fields: Mapping[str, str]) -> None:
        if await self._passkeys().remove(owner, _number(fields.get("passkey", "")), session.account):
            by = session.account
            await self._parts.audit.add("passkey-removed", person=by.person, role=by.role, whose=owner.person)

    async def _sent(self, request: Request) -> tuple[AccountSession, Mapping[str, str]]:
        session = session_of(request)
        return session, await self._parts.guard.form(request, session)

    async def _sent_by_proved(self, request: Request) -> tuple[AccountSession, Mapping[str, str]]:
        """Return session and fields of a form that changes credentials or ends sessions.

        It is refused to a person who came by PIN, and on a device that was not touched for a while.
        """
        session, fields = await self._sent(request)
        sessions = self._parts.guard.sessions
        if session.method == "pin" or sessions.asks_again(session):
            raise HTTPException(HTTPStatus.FORBIDDEN, "Sign in completely first: sign out, and in again.")
        await sessions.touch(session)
        return session, fields

    async def _record(self, kind: EntryKind, session: AccountSession) -> None:
        await self._parts.audit.add(kind, person=session.account.person, role=session.account.role)

    def _passkeys(self) -> PasskeyBook:
        if self._parts.passkeys is None:
            raise HTTPException(HTTPStatus.FORBIDDEN, "This console has no passkeys: web.address is not set.")
        return self._parts.passkeys

    def _administrator(self, request: Request) -> Account:
        account = session_of(request).account
        if account.role != ADMINISTRATOR:
            raise HTTPException(HTTPStatus.FORBIDDEN, "This page is an administrator's.")
        return account

    def _again_form(
        self, request: Request, session: AccountSession, target: str, failed: str, status: int = HTTPStatus.OK
    ) -> Response:
        has_passkeys = self._parts.passkeys is not None
        values = {"next": target, "failed": failed, "login": session.account.login, "has_passkeys": has_passkeys}
        return self._page("again.html", request, values, status)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "The form is not complete. Load the page again.")
    return int(text)

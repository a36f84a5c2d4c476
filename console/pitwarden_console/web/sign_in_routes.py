"""Addresses at which a person signs in, by password, passkey or the house's identity provider, and signs out."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from pitwarden_console.people.identity_provider import FLOW_MS, IdentityProvider, ProviderError, ProviderRefusalError
from pitwarden_console.people.passkeys import PasskeyBook
from pitwarden_console.people.provided_accounts import ProvidedAccounts
from pitwarden_console.web.credential_guard import CredentialGuard
from pitwarden_console.web.handlers import HandledAddress, PageMaker
from pitwarden_console.web.session_guard import COOKIE, SessionGuard, local_path, session_of, set_cookie

FLOW_COOKIE: Final = "__Host-pit-flow"
"""Binds a sign-in at the provider to the browser in which it began. Lax: the provider sends that browser back."""
WRONG_PAIR: Final = "Login or password is wrong."


@dataclass(frozen=True, slots=True)
class SignInWays:
    """Ways to sign in besides a password; None for what this console does not have."""

    passkeys: PasskeyBook | None = None
    provider: IdentityProvider | None = None
    provided: ProvidedAccounts | None = None
    address: str = ""
    passwords: bool = True


class SignInRoutes:
    """Handlers of the sign-in. `page` makes a page."""

    def __init__(self, guard: SessionGuard, credentials: CredentialGuard, ways: SignInWays, *, page: PageMaker) -> None:
        self._guard, self._credentials, self._ways, self._page = guard, credentials, ways, page

    def open_routes(self) -> list[Route]:
        """Return the routes that need no session."""
        return [
            Route("/sign-in", self._sign_in_page),
            Route("/sign-in", self._sign_in, methods=["POST"]),
            Route("/sign-in/passkey/options", self._passkey_options, methods=["POST"]),
            Route("/sign-in/passkey", self._passkey, methods=["POST"]),
            Route("/sign-in/provider", self._to_provider),
            Route("/sign-in/provider/answer", self._from_provider),
            Route("/signed-out", self._signed_out),
        ]

    def routes(self) -> list[HandledAddress]:
        """Return address, handler and methods of those that need a session."""
        return [("/sign-out", self._sign_out, ("POST",))]

    async def _sign_in_page(self, request: Request) -> Response:
        return self._form(request, local_path(request.query_params.get("next", "/")))

    async def _sign_in(self, request: Request) -> Response:
        fields = await self._guard.form(request, None)
        target = local_path(fields.get("next", "/"))
        login, password = fields.get("login", ""), fields.get("password", "")
        found = await self._credentials.by_password(request, login, password)
        if found is None:
            return self._form(request, target, WRONG_PAIR, HTTPStatus.FORBIDDEN)
        return self._begun(target, await self._guard.begin(request, found, "password"))

    async def _passkey_options(self, request: Request) -> Response:
        await self._guard.form(request, None)
        self._credentials.count_try(request)
        if self._ways.passkeys is None:
            return self._form(request, "/", "This console has no passkeys.", HTTPStatus.FORBIDDEN)
        ceremony = self._ways.passkeys.assertion()
        return JSONResponse({"ceremony": ceremony.name, "options": ceremony.options})

    async def _passkey(self, request: Request) -> Response:
        fields = await self._guard.form(request, None)
        target = local_path(fields.get("next", "/"))
        owner = await self._credentials.by_passkey(request, fields)
        if owner is None:
            return self._form(request, target, "The passkey was not accepted.", HTTPStatus.FORBIDDEN)
        return self._begun(target, await self._guard.begin(request, owner, "passkey"))

    async def _to_provider(self, request: Request) -> Response:
        target = local_path(request.query_params.get("next", "/"))
        self._credentials.count_try(request)
        if self._ways.provider is None:
            return self._form(request, target, "This console has no identity provider.", HTTPStatus.FORBIDDEN)
        try:
            session = await self._guard.session_of(request)
            address, flow = await self._ways.provider.begin(target, None if session is None else session.account.ident)
        except ProviderError as error:
            return self._form(request, target, self._down(error), HTTPStatus.SERVICE_UNAVAILABLE)
        answer = RedirectResponse(address, HTTPStatus.SEE_OTHER)
        answer.set_cookie(FLOW_COOKIE, flow.state, max_age=FLOW_MS // 1_000, secure=True, httponly=True, samesite="lax")
        return answer

    async def _from_provider(self, request: Request) -> Response:
        self._credentials.count_try(request)
        provider, provided = self._ways.provider, self._ways.provided
        if provider is None or provided is None:
            return self._form(request, "/", "This console has no identity provider.", HTTPStatus.FORBIDDEN)
        answered = {name: value[:4_096] for name, value in request.query_params.items()}
        try:
            identity, target = await provider.finish(answered, request.cookies.get(FLOW_COOKIE, ""))
            owner, changed = await provided.signed_in(identity)
        except ProviderError as error:
            if isinstance(error, ProviderRefusalError) and error.account_id is not None:
                await self._guard.end_all(error.account_id, "the identity provider refused")
            await self._credentials.refused(request, "provider")
            return self._form(request, "/", self._down(error), HTTPStatus.FORBIDDEN)
        if changed:
            await self._guard.end_all(owner.ident, f"the role is now {owner.role}")
        # A page of our own continues: a browser sends no strict cookie in a chain that another site began.
        answer = self._page("signed_in.html", request, {"target": local_path(target), "name": owner.name})
        token = await self._guard.begin(request, owner, "provider")
        set_cookie(answer, token, self._guard.sessions.times.shift_ms)
        answer.delete_cookie(FLOW_COOKIE, secure=True, httponly=True, samesite="lax")
        return answer

    async def _sign_out(self, request: Request) -> Response:
        session = session_of(request)
        await self._guard.form(request, session)
        await self._guard.sign_out(session)
        by_provider = session.method == "provider"
        answer = RedirectResponse("/signed-out?provider=yes" if by_provider else "/sign-in", HTTPStatus.SEE_OTHER)
        answer.delete_cookie(COOKIE, secure=True, httponly=True, samesite="strict")
        return answer

    async def _signed_out(self, request: Request) -> Response:
        self._credentials.count_try(request)
        away = None
        if self._ways.provider is not None:
            away = await self._ways.provider.sign_out_address(f"{self._ways.address}/sign-in")
        return self._page("signed_out.html", request, {"away": away})

    def _down(self, error: ProviderError) -> str:
        rest = " Sign in with a password or a passkey, or try again." if self._ways.passwords else " Try again."
        return f"{error}{rest}"

    def _form(self, request: Request, target: str, failed: str = "", status: int = HTTPStatus.OK) -> Response:
        values = {
            "next": target, "next_query": quote(target), "failed": failed,
            "has_passkeys": self._ways.passkeys is not None, "has_provider": self._ways.provider is not None,
            "has_passwords": self._ways.passwords,
        }  # fmt: skip
        return self._page("sign_in.html", request, values, status)

    def _begun(self, target: str, token: str) -> Response:
        answer = RedirectResponse(target, HTTPStatus.SEE_OTHER)
        set_cookie(answer, token, self._guard.sessions.times.shift_ms)
        return answer

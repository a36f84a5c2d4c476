"""Session of a request, and whether a form comes from one of our own pages.

Threats: a request that another site makes a browser send, a token that was given before the sign-in, and a link that
leads away after it.
"""

from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pitwarden_console.clock import ConsoleClock
from pitwarden_console.people.accounts import Account
from pitwarden_console.people.audit import Audit
from pitwarden_console.people.rate_limit import RateLimit
from pitwarden_console.people.sessions import AccountSession, SessionBook, SignInMethod, is_csrf_token
from pitwarden_console.web.credential_guard import address_of

COOKIE: Final = "__Host-pit"
_MINUTE_MS: Final = 60_000
_FORM: Final = "application/x-www-form-urlencoded"


class AskedAgainError(Exception):
    """An act on a device that was not touched for a while. Policy: lead to the page that asks who is there.

    Example: a floorperson left a tablet, and another person adds a note on it. `target` is the page to return to.
    """

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.target = target


class SessionGuard:
    """Sessions of requests, and the origin of forms."""

    def __init__(self, sessions: SessionBook, clock: ConsoleClock, audit: Audit, hosts: Collection[str]) -> None:
        self.sessions = sessions
        self._audit, self._hosts = audit, frozenset(hosts)
        self._acts = RateLimit(clock, 30, _MINUTE_MS)

    async def session_of(self, request: Request) -> AccountSession | None:
        """Return the session of a request; None without a valid one. What a person does with it is a touch.

        Raises:
            StoreError: The database failed.
        """
        token = request.cookies.get(COOKIE, "")
        found = await self.sessions.find(token) if token else None
        # Browsers set this header where a person led to a page, not where a script loaded it again. Safari has no such
        # header: there `presence.js` alone reports a touch.
        if found is not None and request.headers.get("sec-fetch-user") == "?1" and request.method == "GET":
            await self.sessions.touch(found)
        return found

    async def form(self, request: Request, session: AccountSession | None) -> Mapping[str, str]:
        """Return the fields of a form that one of our pages sent.

        Raises:
            HTTPException: It comes from elsewhere, or is no form.
        """
        origin = request.headers.get("origin", "null")
        if origin == "null":  # our own pages send this, since they send no referrer
            own = request.headers.get("sec-fetch-site") == "same-origin"
        else:
            own = urlsplit(origin).hostname in self._hosts
        if not own or request.headers.get("content-type", "").partition(";")[0] != _FORM:
            raise HTTPException(HTTPStatus.FORBIDDEN, "The form was not sent by a page of this console.")
        fields = dict(parse_qsl((await request.body()).decode("utf-8", errors="replace"), max_num_fields=20))
        if session is not None and not is_csrf_token(session, fields.get("csrf", "")):
            raise HTTPException(HTTPStatus.FORBIDDEN, "The form is of another session. Load the page again.")
        return fields

    async def begin(
        self, request: Request, account: Account, method: SignInMethod, before: AccountSession | None = None
    ) -> str:
        """Return the token of a new session of `account`, which has proved itself by `method`.

        Args:
            request: The request that signs in.
            account: Who signs in.
            method: How they proved who they are.
            before: Session of the device, which ends; its shift continues.

        Raises:
            StoreError: The database failed.
        """
        address = address_of(request)
        whose = None
        if before is not None:
            whose = await self.sessions.end(before.ident, account.person)
        await self._audit.add(
            "sign-in", person=account.person, role=account.role, address=address, method=method, whose=whose
        )
        return await self.sessions.begin(account, method, address, None if before is None else before.created_ms)

    async def sign_out(self, session: AccountSession) -> None:
        """End a session.

        Raises:
            StoreError: The database failed.
        """
        await self.sessions.end(session.ident, session.account.person)
        await self._audit.add("sign-out", person=session.account.person, role=session.account.role)

    async def end_all(self, account_id: int, reason: str) -> None:
        """End every session of an account, because the identity provider changed what it states about the person.

        Raises:
            StoreError: The database failed.
        """
        for ident, whose in await self.sessions.end_all(account_id, "provider"):
            await self._audit.add(
                "session-ended", person="", role="provider", session=ident, whose=whose, reason=reason
            )  # fmt: skip

    async def act_form(self, request: Request, session: AccountSession, page: str) -> Mapping[str, str]:
        """Return the fields of a form that acts under the person's name. The act is counted, and is a touch.

        Args:
            request: The form.
            session: Session of the request.
            page: Path of the page to which the person returns, where the form names none.

        Raises:
            HTTPException: The form comes from elsewhere, or there were too many acts in this minute.
            AskedAgainError: The device was not touched for a while.
            StoreError: The database failed.
        """
        fields = await self.form(request, session)
        if self.sessions.asks_again(session):
            raise AskedAgainError(local_path(fields.get("next", page)))
        if not self._acts.allows(session.account.person):
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS, "Too many acts in one minute.")
        await self.sessions.touch(session)
        return fields


def set_cookie(answer: Response, token: str, shift_ms: int) -> None:
    """Give a browser its session."""
    answer.set_cookie(COOKIE, token, max_age=shift_ms // 1_000, secure=True, httponly=True, samesite="strict")


def session_of(request: Request) -> AccountSession:
    """Return the session of a request that needs one.

    Raises:
        HTTPException: No one has to sign in at this console.
    """
    session: AccountSession | None = request.state.session
    if session is None:
        raise HTTPException(HTTPStatus.FORBIDDEN, "The pages of this console can only be read.")
    return session


def account_of(request: Request) -> Account | None:
    """Return the account that is signed in; None where no one has to sign in."""
    session: AccountSession | None = getattr(request.state, "session", None)
    return None if session is None else session.account


def local_path(target: str) -> str:
    """Return `target` if it is a path of this console, else the first page."""
    parts = urlsplit(target)
    is_local = target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return target if is_local and target.isprintable() and "\\" not in target else "/"

"""SessionGuard of requests: the session in the cookie, and whether a form comes from one of our own pages.

Threats: a request that another site makes a browser send, a token that was given before the sign-in, a link that leads
away after it, and guessed passwords.
"""

from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pitwarden_console.clock import ConsoleClock
from pitwarden_console.people.accounts import Account, AccountBook
from pitwarden_console.people.audit import Audit
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.people.rate_limit import RateLimit
from pitwarden_console.people.sessions import SHIFT_MS, AccountSession, SessionBook, is_csrf_token
from pitwarden_console.store.database import HistoryDatabase

COOKIE: Final = "__Host-pit"
_MINUTE_MS: Final = 60_000
_FORBIDDEN: Final = 403
_TOO_MANY: Final = 429
_FORM: Final = "application/x-www-form-urlencoded"


class SessionGuard:
    """Sessions, sign-in and the origin of forms."""

    def __init__(self, database: HistoryDatabase, clock: ConsoleClock, audit: Audit, hosts: Collection[str]) -> None:
        self.sessions = SessionBook(database, clock)
        self._accounts = AccountBook(database, PasswordChecker())
        self._audit, self._hosts = audit, frozenset(hosts)
        self._by_login = RateLimit(clock, 5, _MINUTE_MS)
        self._by_address = RateLimit(clock, 20, _MINUTE_MS)
        self._acts = RateLimit(clock, 30, _MINUTE_MS)

    async def session_of(self, request: Request) -> AccountSession | None:
        """Return the session of a request; None without a valid one.

        Raises:
            StoreError: The database failed.
        """
        token = request.cookies.get(COOKIE, "")
        return await self.sessions.find(token) if token else None

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
            raise HTTPException(_FORBIDDEN, "The form was not sent by a page of this console.")
        fields = dict(parse_qsl((await request.body()).decode("utf-8", errors="replace"), max_num_fields=20))
        if session is not None and not is_csrf_token(session, fields.get("csrf", "")):
            raise HTTPException(_FORBIDDEN, "The form is of another session. Load the page again.")
        return fields

    async def sign_in(self, request: Request, login: str, password: str) -> str | None:
        """Return the token of a new session; None for a wrong pair, whichever part is wrong.

        Raises:
            HTTPException: There were too many tries.
            StoreError: The database failed.
        """
        address = request.client.host if request.client else ""
        # Both are counted, so that neither a login nor an address can be tried without end.
        if not all((self._by_login.allows(login[:64]), self._by_address.allows(address))):
            raise HTTPException(_TOO_MANY, "Too many tries. Wait a minute.")
        account = await self._accounts.checked(login, password)
        if account is None:
            await self._audit.add("refused-sign-in", person="", role="", address=address)
            return None
        await self._audit.add("sign-in", person=account.person, role=account.role, address=address)
        return await self.sessions.begin(account)

    async def sign_out(self, session: AccountSession) -> None:
        """End a session.

        Raises:
            StoreError: The database failed.
        """
        await self.sessions.end(session)
        await self._audit.add("sign-out", person=session.account.person, role=session.account.role)

    def count_act(self, account: Account) -> None:
        """Count an act.

        Raises:
            HTTPException: There were too many in this minute.
        """
        if not self._acts.allows(account.person):
            raise HTTPException(_TOO_MANY, "Too many acts in one minute.")


def set_cookie(answer: Response, token: str) -> None:
    """Give a browser its session."""
    answer.set_cookie(COOKIE, token, max_age=SHIFT_MS // 1_000, secure=True, httponly=True, samesite="strict")


def local_path(target: str) -> str:
    """Return `target` if it is a path of this console, else the first page."""
    parts = urlsplit(target)
    is_local = target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return target if is_local and target.isprintable() and "\\" not in target else "/"

"""Credentials of a request: password, PIN or passkey, checked with counted tries. One answer for every failure.

Threat: guessing, by one address, against one login, or over all ways to sign in together: they share the counts.
"""

import ipaddress
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request

from pitwarden_console.clock import ConsoleClock
from pitwarden_console.people.accounts import Account, AccountBook
from pitwarden_console.people.audit import Audit
from pitwarden_console.people.passkeys import PasskeyBook
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.people.pins import PinBook
from pitwarden_console.people.rate_limit import RateLimit
from pitwarden_console.people.sessions import SignInMethod
from pitwarden_console.store.database import HistoryDatabase

_MINUTE_MS: Final = 60_000


class CredentialGuard:
    """Checker of credentials. `passkeys` is None where the console has none; `passwords`: they sign people in."""

    def __init__(
        self, database: HistoryDatabase, clock: ConsoleClock, audit: Audit, passkeys: PasskeyBook | None,
        *, passwords: bool,
    ) -> None:  # fmt: skip
        checker = PasswordChecker()
        self.accounts, self.pins = AccountBook(database, checker), PinBook(database, checker)
        self._audit, self._passkeys, self._passwords = audit, passkeys, passwords
        self._by_login = RateLimit(clock, 5, _MINUTE_MS)
        self._by_address = RateLimit(clock, 20, _MINUTE_MS)

    async def by_password(self, request: Request, login: str, password: str) -> Account | None:
        """Return the account of a login and its password; None for a wrong pair, which is recorded.

        Raises:
            HTTPException: There were too many tries, or this console takes no passwords.
            StoreError: The database failed.
        """
        self._count(request, login)
        if not self._passwords:
            raise HTTPException(
                HTTPStatus.FORBIDDEN, "This console takes no passwords. Use the house's sign-in or a passkey."
            )
        account = await self.accounts.checked(login, password)
        if account is None:
            await self.refused(request, "password", await self.accounts.person_of(login))
        else:
            await self.pins.forgive(account)
        return account

    async def by_pin(self, request: Request, login: str, pin: str) -> Account | None:
        """Return the account of a login and its PIN; None for a wrong pair, which is recorded.

        Raises:
            HTTPException: There were too many tries.
            StoreError: The database failed.
        """
        self._count(request, login)
        account = await self.pins.checked(login, pin)
        if account is None:
            await self.refused(request, "pin", await self.accounts.person_of(login))
        return account

    async def by_passkey(self, request: Request, fields: Mapping[str, str]) -> Account | None:
        """Return whose passkey signed a form; None for an answer that is not valid, which is recorded.

        Raises:
            HTTPException: There were too many tries, or the console has no passkeys.
            StoreError: The database failed.
        """
        self.count_try(request)
        if self._passkeys is None:
            raise HTTPException(HTTPStatus.FORBIDDEN, "This console has no passkeys: web.address is not set.")
        owner = await self._passkeys.owner_of(fields.get("ceremony", ""), fields.get("credential", ""))
        if owner is None:
            await self.refused(request, "passkey")
        else:
            await self.pins.forgive(owner)
        return owner

    async def refused(self, request: Request, method: SignInMethod, whose: str | None = None) -> None:
        """Record a sign-in that was refused.

        Args:
            request: The request that was refused.
            method: How the person tried to prove who they are.
            whose: Person of the account that was tried. What was typed is not recorded: it may be a password.

        Raises:
            StoreError: The database failed.
        """
        await self._audit.add(
            "refused-sign-in", person="", role="", address=address_of(request), method=method, whose=whose
        )

    def count_try(self, request: Request) -> None:
        """Count a try from an address.

        Raises:
            HTTPException: There were too many in this minute.
        """
        if not self._by_address.allows(address_of(request)):
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS, "Too many tries. Wait a minute.")

    def _count(self, request: Request, login: str) -> None:
        # Both are counted, so that neither a login nor an address can be tried without end.
        if not all((self._by_login.allows(login[:64]), self._by_address.allows(address_of(request)))):
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS, "Too many tries. Wait a minute.")


def address_of(request: Request) -> str:
    """Return the address from which a request came, as a proxy on this machine states it where there is one.

    Without that, all browsers behind the proxy would share one count of tries.
    """
    peer = request.client.host if request.client else ""
    stated = request.headers.get("x-real-ip", "")
    try:
        return str(ipaddress.ip_address(stated)) if ipaddress.ip_address(peer).is_loopback else peer
    except ValueError:
        return peer

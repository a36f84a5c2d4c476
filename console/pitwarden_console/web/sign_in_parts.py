"""Parts of the sign-in, as the console file states them."""

from typing import TYPE_CHECKING, Final

from pitwarden_console.people.identity_provider import IdentityProvider
from pitwarden_console.people.passkeys import PasskeyBook
from pitwarden_console.people.provided_accounts import ProvidedAccounts
from pitwarden_console.people.sessions import SessionBook, SessionTimes
from pitwarden_console.settings.console_settings import ConsoleSettings
from pitwarden_console.web.credential_guard import CredentialGuard
from pitwarden_console.web.session_guard import SessionGuard
from pitwarden_console.web.sign_in_routes import SignInWays

if TYPE_CHECKING:
    from pitwarden_console.web.application import ConsoleParts

_MINUTE_MS: Final = 60_000


def sign_in_parts(settings: ConsoleSettings, parts: "ConsoleParts") -> tuple[SessionGuard, CredentialGuard, SignInWays]:
    """Return the guards of sessions and credentials, and the ways to sign in.

    Raises:
        ConsoleSettingsError: A file of the identity provider cannot be read.
    """
    file, database, clock, audit = settings.file, parts.database, parts.clock, parts.audit
    address, section, known = file.web.address, file.provider, settings.provider()
    passkeys = None if address is None else PasskeyBook(database, clock, address, file.site.title)
    passwords = section is None or section.passwords
    times = SessionTimes(
        60 * file.session.shift_hours * _MINUTE_MS, file.session.idle_minutes * _MINUTE_MS,
        file.session.act_minutes * _MINUTE_MS,
    )  # fmt: skip
    ways = SignInWays(
        passkeys,
        None if known is None else IdentityProvider(known, clock),
        None if section is None else ProvidedAccounts(database, clock, section),
        address or "",
        passwords=passwords,
    )
    guard = SessionGuard(SessionBook(database, clock, times), clock, audit, file.web.hosts)
    return guard, CredentialGuard(database, clock, audit, passkeys, passwords=passwords), ways

"""Accounts of people whom the identity provider vouches for: made at their first sign-in, with the role of their group.

Threat: a person who has one number here and another one there, a number that belongs to another person's account, and a
group that lost its role. Each is refused with a sentence; nothing is guessed.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_console.clock import ConsoleClock
from pitwarden_console.people.accounts import Account, account_of_row
from pitwarden_console.people.audit import EntryKind, append
from pitwarden_console.people.demo_accounts import PREFIX
from pitwarden_console.people.identity_provider import ProviderError, ProviderIdentity, ProviderRefusalError
from pitwarden_console.roles import ADMINISTRATOR, AccountRole
from pitwarden_console.settings.sections import ProviderSection
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import account

_PERSON: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KEYING: Final = frozenset({"floor", "supervisor"})
# Characters of a name on the pages.
_MAX_NAME: Final = 60


class ProvidedAccounts:
    """Accounts by their subject at the provider."""

    def __init__(self, database: HistoryDatabase, clock: ConsoleClock, section: ProviderSection) -> None:
        self._database, self._clock, self._section = database, clock, section

    async def signed_in(self, identity: ProviderIdentity) -> tuple[Account, bool]:
        """Return the account of a person who came from the provider, made or changed as the provider states.

        The other value is whether their role is another one than before.

        Raises:
            ProviderError: The person has no number, or the number is another person's.
            ProviderRefusalError: The person has no role here. An account of theirs is withdrawn by then: no passkey
                and no PIN of it is accepted until the provider states a role again.
            StoreError: The database failed.
        """
        subject = f"{self._section.issuer} {identity.subject}"[:500]
        try:
            role = self._role(identity.claims)
        except ProviderError as error:
            raise ProviderRefusalError(str(error), await self._withdrawn(subject)) from None
        person = self._person(identity.claims)
        name = self._name(identity.claims, person)
        async with self._database.writing() as connection:
            query = select(account).where((account.c.subject == subject) | (account.c.person == person))
            known = (await connection.execute(query)).all()
            if any(row.closed_ms is not None for row in known):
                raise ProviderError(f"The account of {person} is closed at this console. Ask its administrator.")
            if len(known) > 1 or any(row.person != person or row.subject not in {None, subject} for row in known):
                raise ProviderError(f"The number {person} is somebody else's at this console. Ask its administrator.")
            values = {"name": name, "role": role, "subject": subject, "withdrawn_ms": None}
            changed = bool(known) and (known[0].role != role or known[0].withdrawn_ms is not None)
            if known:
                if changed:
                    await self._record(connection, "role-changed", person, before=known[0].role, after=role)
                await connection.execute(update(account).where(account.c.id == known[0].id).values(**values))
            else:
                used = select(account.c.id).where(account.c.login == person)
                if (await connection.execute(used)).first() is not None:
                    raise ProviderError(
                        f"The login {person} is somebody else's at this console. Ask its administrator."
                    )
                made = {"login": person, "person": person, "password": "", "created_ms": self._clock.utc_ms()}
                await connection.execute(insert(account).values(**values, **made))
            row = (await connection.execute(select(account).where(account.c.subject == subject))).one()
        return account_of_row(row), changed

    async def _withdrawn(self, subject: str) -> int | None:
        """Withdraw the account of a subject; return its number in the store, None where there is none."""
        async with self._database.writing() as connection:
            row = (await connection.execute(select(account).where(account.c.subject == subject))).one_or_none()
            if row is None:
                return None
            if row.withdrawn_ms is None:
                mine = update(account).where(account.c.id == row.id)
                await connection.execute(mine.values(withdrawn_ms=self._clock.utc_ms()))
                await self._record(connection, "rights-withdrawn", row.person, before=row.role)
        return int(row.id)

    async def _record(self, connection: AsyncConnection, kind: EntryKind, whose: str, **details: str) -> None:
        content = {"kind": kind, "person": "", "role": "provider", "whose": whose, **details}
        await append(connection, self._clock.utc_ms(), content)

    def _role(self, claims: Mapping[str, object]) -> AccountRole:
        groups = _texts(claims.get(self._section.role_claim))
        found = [role for group, role in self._section.roles.items() if group in groups]
        if not found:
            raise ProviderError("You have no role at this console. Ask the house for one of its groups.")
        if ADMINISTRATOR in found and _KEYING & set(found):
            raise ProviderError("An administrator of this console never acts at a table. Ask the house for one group.")
        return found[0]

    def _person(self, claims: Mapping[str, object]) -> str:
        value = claims.get(self._section.person_claim)
        person = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if not _PERSON.fullmatch(person) or person.startswith(PREFIX):
            raise ProviderError(
                f"The house's sign-in states no employee number for you ({self._section.person_claim}). Ask the house."
            )
        return person

    def _name(self, claims: Mapping[str, object], person: str) -> str:
        value = claims.get(self._section.name_claim)
        text = " ".join(value.split())[:_MAX_NAME] if isinstance(value, str) else ""
        return text if text and text.isprintable() else person


def _texts(value: object) -> Sequence[str]:
    if isinstance(value, str):
        return (value,)
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else ()

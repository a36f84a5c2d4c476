"""Passkeys: WebAuthn credentials of accounts, with the ceremonies that make and check them.

Threat: an answer that is sent twice, made for another site or for another challenge, and a copied authenticator. A
challenge is used once and expires; the counter of an authenticator that counts never runs back.
"""

import hashlib
import json
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, parse_authentication_credential_json
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from pitwarden_client.events.named_cards import text_names_card
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import ConsoleError, StoreError
from pitwarden_console.people.accounts import Account, account_of_row, may_sign_in
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import account, passkey

# Milliseconds in which a person touches their authenticator.
CEREMONY_MS: Final = 120_000
# Ceremonies at once; beyond it the oldest is forgotten. They are begun before anybody is known.
MAX_CEREMONIES: Final = 1_000
# Passkeys of one account: a phone, a tablet, two security keys and their successors.
MAX_PASSKEYS: Final = 10
# Characters of a passkey's name: one line of a narrow page.
MAX_LABEL: Final = 40


class PasskeyError(ConsoleError):
    """A passkey was not made. Policy: show the sentence; nothing was stored.

    Example: the authenticator did not ask for a fingerprint or a PIN.
    """


@dataclass(frozen=True, slots=True)
class Ceremony:
    """A ceremony that has begun: its name, and the options for the browser, as WebAuthn's JSON."""

    name: str
    options: object = field(repr=False)


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey of an account. Instants are UTC ms; `used_ms` is None while it was never used."""

    ident: int
    label: str
    created_ms: int
    used_ms: int | None


@dataclass(frozen=True, slots=True)
class _Begun:
    challenge: bytes = field(repr=False)
    owner: int | None
    until_ms: int


class PasskeyBook:
    """The passkeys in the store. `address` is that of the pages, for which every passkey is made."""

    def __init__(self, database: HistoryDatabase, clock: ConsoleClock, address: str, title: str) -> None:
        self._database, self._clock, self._origin, self._title = database, clock, address, title
        self._rp = urlsplit(address).hostname or ""
        self._begun: OrderedDict[str, _Begun] = OrderedDict()

    async def registration(self, owner: Account) -> Ceremony:
        """Begin the making of a passkey for `owner`.

        Raises:
            PasskeyError: The account has as many as it may.
            StoreError: The database failed.
        """
        known = await self.of(owner)
        if len(known) >= MAX_PASSKEYS:
            raise PasskeyError(f"An account has at most {MAX_PASSKEYS} passkeys: remove one that is not used.")
        async with self._database.reading() as connection:
            query = select(passkey.c.credential).where(passkey.c.account_id == owner.ident)
            there = [_descriptor(each) for each in (await connection.execute(query)).scalars()]
        options = generate_registration_options(
            rp_id=self._rp, rp_name=self._title, user_name=owner.login, user_display_name=owner.name,
            user_id=hashlib.sha256(f"pitwarden account {owner.ident}".encode()).digest(),
            exclude_credentials=there,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
            ),
        )  # fmt: skip
        return self._begin(options.challenge, options_to_json(options), owner.ident)

    async def register(self, owner: Account, name: str, answer: str, label: str) -> None:
        """Store the passkey that an authenticator made in the ceremony `name`.

        Raises:
            PasskeyError: The answer is not valid, the passkey is known, or `label` names a card.
            StoreError: The database failed.
        """
        if text_names_card(label):
            raise PasskeyError("The name of a device must not name a card.")
        challenge = self._challenge(name, owner.ident)
        if challenge is None:
            raise PasskeyError("It took too long. Begin again.")
        try:
            made = verify_registration_response(
                credential=answer, expected_challenge=challenge, expected_rp_id=self._rp,
                expected_origin=self._origin, require_user_verification=True,
            )  # fmt: skip
        except (WebAuthnException, ValueError, KeyError) as error:
            raise PasskeyError(f"The authenticator's answer was refused: {error}. Begin again.") from None
        values = {
            "account_id": owner.ident, "credential": bytes_to_base64url(made.credential_id),
            "public_key": made.credential_public_key, "sign_count": made.sign_count,
            "label": " ".join(label.split())[:MAX_LABEL] or "passkey", "created_ms": self._clock.utc_ms(),
        }  # fmt: skip
        try:
            async with self._database.writing() as connection:
                await connection.execute(insert(passkey).values(**values))
        except StoreError as error:
            if isinstance(error.__cause__, IntegrityError):
                raise PasskeyError("This passkey is known already.") from None
            raise

    def assertion(self) -> Ceremony:
        """Begin a sign-in. The authenticator offers the passkeys that it has for this console."""
        options = generate_authentication_options(
            rp_id=self._rp, user_verification=UserVerificationRequirement.REQUIRED
        )
        return self._begin(options.challenge, options_to_json(options), None)

    async def owner_of(self, name: str, answer: str) -> Account | None:
        """Return whose passkey signed the ceremony `name`; None for any answer that is not valid.

        Raises:
            StoreError: The database failed.
        """
        challenge = self._challenge(name, None)
        try:
            ident = bytes_to_base64url(parse_authentication_credential_json(answer).raw_id)
        except (WebAuthnException, ValueError, KeyError):
            return None
        async with self._database.writing() as connection:
            query = select(passkey.c.id.label("key_id"), passkey.c.public_key, passkey.c.sign_count, account)
            query = query.join(account, account.c.id == passkey.c.account_id).where(
                passkey.c.credential == ident, passkey.c.removed_ms.is_(None), may_sign_in()
            )
            row = (await connection.execute(query)).one_or_none()
            if row is None or challenge is None:
                return None
            try:
                signed = verify_authentication_response(
                    credential=answer, expected_challenge=challenge, expected_rp_id=self._rp,
                    expected_origin=self._origin, credential_public_key=row.public_key,
                    credential_current_sign_count=row.sign_count, require_user_verification=True,
                )  # fmt: skip
            except (WebAuthnException, ValueError, KeyError):
                return None
            used = update(passkey).where(passkey.c.id == row.key_id)
            await connection.execute(used.values(sign_count=signed.new_sign_count, used_ms=self._clock.utc_ms()))
        return account_of_row(row)

    async def of(self, owner: Account) -> Sequence[Passkey]:
        """Return the passkeys of an account, the oldest first.

        Raises:
            StoreError: The database failed.
        """
        query = select(passkey).where(passkey.c.account_id == owner.ident, passkey.c.removed_ms.is_(None))
        async with self._database.reading() as connection:
            rows = (await connection.execute(query.order_by(passkey.c.id))).all()
        return [Passkey(row.id, row.label, row.created_ms, row.used_ms) for row in rows]

    async def remove(self, owner: Account, ident: int, by: Account) -> bool:
        """Remove a passkey of `owner` for good; return whether there was one.

        Raises:
            StoreError: The database failed.
        """
        known = update(passkey).where(
            passkey.c.id == ident, passkey.c.account_id == owner.ident, passkey.c.removed_ms.is_(None)
        )
        async with self._database.writing() as connection:
            changed = await connection.execute(known.values(removed_ms=self._clock.utc_ms(), removed_by=by.person))
        return changed.rowcount > 0

    def _begin(self, challenge: bytes, options: str, owner: int | None) -> Ceremony:
        name = secrets.token_urlsafe(24)
        self._begun[name] = _Begun(challenge, owner, self._clock.monotonic_ms() + CEREMONY_MS)
        while len(self._begun) > MAX_CEREMONIES:
            self._begun.popitem(last=False)
        return Ceremony(name, json.loads(options))

    def _challenge(self, name: str, owner: int | None) -> bytes | None:
        """Return the challenge of a ceremony, once."""
        begun = self._begun.pop(name, None)
        if begun is None or begun.owner != owner or begun.until_ms < self._clock.monotonic_ms():
            return None
        return begun.challenge


def _descriptor(credential: str) -> PublicKeyCredentialDescriptor:
    return PublicKeyCredentialDescriptor(id=base64url_to_bytes(credential))

"""Passwords: Argon2id, in threads, two at once, since each takes 64 MiB and a tenth of a second.

Threat: an account without a password, as the identity provider makes them, that opens to whoever types a known word.
"""

import asyncio
import secrets
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

# Characters of a password at least.
MIN_LENGTH: Final = 10
# Characters of a password that are hashed: a longer one would cost time for each attempt.
MAX_LENGTH: Final = 200
_AT_ONCE: Final = 2


class PasswordChecker:
    """Maker and checker of password hashes."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def is_right(self, stored: str | None, password: str) -> bool:
        """Return whether `password` belongs to the stored hash.

        It is False, after the same time, for an unknown login (None) and for an account without a password (empty).
        """
        async with self._turns:
            matches = await asyncio.to_thread(self._compared, stored, password[:MAX_LENGTH])
        return matches and bool(stored)

    async def hashed(self, password: str) -> str:
        """Return the hash of a new password or PIN."""
        async with self._turns:
            return await asyncio.to_thread(self._hasher.hash, password)

    def _compared(self, stored: str | None, password: str) -> bool:
        return self._matches(stored or _decoy(), password)

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False


@cache
def _decoy() -> str:
    """Return the hash that is compared where there is no password, so that the answer takes as long as otherwise."""
    return PasswordHasher().hash(secrets.token_hex())

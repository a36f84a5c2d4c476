"""PINs: four to eight digits that bring a person back, or change the person, at a device that is signed in for a shift.

Threat: guessing. Five wrong PINs in a row need a complete sign-in, whoever tried them and wherever.
"""

from typing import Final

from sqlalchemy import select, update

from pitwarden_console.people.accounts import Account, AccountError, account_of_row, may_sign_in
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import account

# Digits of a PIN at least: five tries of 10,000 hit one in 2,000.
MIN_DIGITS: Final = 4
# Digits of a PIN at most: fewer than a password has, so that one field takes both.
MAX_DIGITS: Final = 8
# Wrong PINs in a row after which only a complete sign-in helps.
MAX_FAILURES: Final = 5
_ROWS: Final = ("01234567890", "09876543210")


class PinBook:
    """The PINs in the store."""

    def __init__(self, database: HistoryDatabase, passwords: PasswordChecker) -> None:
        self._database, self._passwords = database, passwords

    async def set(self, owner: Account, pin: str) -> None:
        """Set the PIN of an account.

        Raises:
            AccountError: It is no PIN, or one that is guessed first.
            StoreError: The database failed.
        """
        if not (pin.isascii() and pin.isdigit() and MIN_DIGITS <= len(pin) <= MAX_DIGITS):
            raise AccountError(f"A PIN has {MIN_DIGITS} to {MAX_DIGITS} digits.")
        if len(set(pin)) == 1 or any(pin in row for row in _ROWS) or pin == owner.person:
            raise AccountError("This PIN is guessed first: take other digits.")
        await self._change(owner, pin=await self._passwords.hashed(pin), pin_failures=0)

    async def has(self, owner: Account) -> bool:
        """Return whether an account has a PIN that is accepted now.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.reading() as connection:
            row = (await connection.execute(select(account).where(account.c.id == owner.ident))).one()
        return row.pin is not None and row.pin_failures < MAX_FAILURES

    async def checked(self, login: str, pin: str) -> Account | None:
        """Return the account to which login and PIN belong; None for any other pair. A wrong PIN is counted.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.reading() as connection:
            known = select(account).where(account.c.login == login, may_sign_in())
            row = (await connection.execute(known)).one_or_none()
        usable = row is not None and row.pin is not None and row.pin_failures < MAX_FAILURES
        right = await self._passwords.is_right(row.pin if row is not None and usable else None, pin)
        if row is None or not usable:
            return None
        found = account_of_row(row)
        if right:
            await self.forgive(found)
            return found
        await self._change(found, pin_failures=account.c.pin_failures + 1)
        return None

    async def forgive(self, owner: Account) -> None:
        """Begin to count again, after a complete sign-in or a right PIN.

        Raises:
            StoreError: The database failed.
        """
        await self._change(owner, pin_failures=0)

    async def _change(self, owner: Account, **values: object) -> None:
        async with self._database.writing() as connection:
            await connection.execute(update(account).where(account.c.id == owner.ident).values(**values))

"""Roles of accounts. A person has one: who keeps accounts never acts at a table."""

from typing import Final, Literal, get_args

AccountRole = Literal["floor", "supervisor", "surveillance", "compliance", "technician", "display", "administrator"]
ROLES: Final[tuple[AccountRole, ...]] = get_args(AccountRole)
ADMINISTRATOR: Final[AccountRole] = "administrator"

"""Access list and logins of a site's broker.

The access list is made from the shipped one, which a test compares with `config/mosquitto`: deny by default, one block
for each terminal and consumer. What the house adds itself stands below a marker and is kept.
"""

import base64
import hashlib
import os
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Final

from pitwarden.installation.answers import TERMINAL_ROLES
from pitwarden_client.events.topics import HALVES

SHIPPED_SITE: Final = "harbor"
SHIPPED_TABLE: Final = "ta01"
OWN_MARKER: Final = "# Entries of the house. `pitwarden setup` keeps everything below this line."

_SALT_BYTES: Final = 12
_ROUNDS: Final = 101
"""Number of PBKDF2 iterations that mosquitto_passwd uses. The passwords are random, so more would add nothing."""


def shipped(name: str) -> str:
    """Return the text of a file that is installed with the package: `pitwarden.acl`, `pitwarden.conf`, ..."""
    return (files("pitwarden.installation") / "data" / name).read_text(encoding="utf-8")


def terminal_login(table: str, role: str) -> str:
    """Return the login of the table's terminal for `role`."""
    return f"{table}-{role}"


def site_logins() -> set[str]:
    """Return the logins of the access list that belong to no table: consumers."""
    users = {line.split()[1] for line in shipped("pitwarden.acl").splitlines() if line.startswith("user ")}
    return {user for user in users if user.partition("-")[0] != SHIPPED_TABLE}


def clashing_login(table: str, tables: Iterable[str]) -> str | None:
    """Return a login of the site that the table's name would be confused with; None when there is none.

    The service of a table has the table's name as its login, and the access list gives that login the table's topics.
    """
    terminals = {terminal_login(other, role): other for other in tables for role in (*TERMINAL_ROLES, *HALVES)}
    own = {terminal_login(table, role) for role in (*TERMINAL_ROLES, *HALVES)} & set(tables)
    return next(iter(sorted(({table} & (set(terminals) | site_logins())) | own)), None)


def access_list(site: str, tables: Mapping[str, bool], present: str = "") -> str:
    """Return the access list of `site`; `present` is the installed one, whose own entries are kept.

    Args:
        site: Site of the broker.
        tables: Tables of the site, each with whether its halves have a login each.
        present: Text of the installed list.
    """
    blocks: list[str] = []
    for block in _blocks("pitwarden.acl", site):
        if f"user {SHIPPED_TABLE}\n" in block:
            for table, apart in sorted(tables.items()):
                service = _blocks("pitwarden-apart.acl", site)[1:] if apart else [block]
                blocks += [each.replace(SHIPPED_TABLE, table) for each in service]
        elif f"user {SHIPPED_TABLE}" in block:
            blocks += [block.replace(SHIPPED_TABLE, table) for table in sorted(tables)]
        else:
            blocks.append(block.replace(f'"{SHIPPED_SITE}"', f'"{site}"'))
    own = present.partition(OWN_MARKER)[2]
    return "\n\n".join([*blocks, OWN_MARKER]) + (own or "\n")


def _blocks(name: str, site: str) -> list[str]:
    return shipped(name).strip().replace(f"/{SHIPPED_SITE}/", f"/{site}/").split("\n\n")


def password_line(login: str, password: str) -> str:
    """Return the line of `login` in a password file, as mosquitto_passwd writes it: PBKDF2 with SHA-512."""
    salt = os.urandom(_SALT_BYTES)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ROUNDS)
    return f"{login}:$7${_ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def with_logins(present: str, passwords: dict[str, str]) -> str:
    """Return the password file `present` with a line for each of `passwords`; other lines are kept."""
    kept = [line for line in present.splitlines() if line.partition(":")[0] not in passwords]
    return "\n".join([*kept, *(password_line(login, word) for login, word in passwords.items())]) + "\n"

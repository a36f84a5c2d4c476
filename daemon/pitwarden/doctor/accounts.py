"""Examination of the accounts under which the halves of a table run.

The units `pitwarden-field@` and `pitwarden-judge@` name an account for each half of each table. The unit
`pitwarden-table@` is the lesser choice: whoever takes over the part that parses device bytes can read the judge's key.
"""

import os
import pwd
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pitwarden.config.halves import account_of
from pitwarden.doctor.findings import DoctorFinding, passed
from pitwarden_client.events.topics import Half

SHARED: Final = "pitwarden"
"""Account of the unit `pitwarden-table@`."""
_READ_AND_WRITE: Final = 0o6


def may_open(path: Path, account: str) -> bool:
    """Return whether the service's `account` may read and write `path`; where that is unknown, whether we may.

    Root may open everything, which proves nothing about the account of a unit: its rights are computed.
    """
    try:
        who = pwd.getpwnam(account)
    except KeyError:
        return os.access(path, os.R_OK | os.W_OK)
    about = path.stat()
    others = 3 if about.st_gid in os.getgrouplist(account, who.pw_gid) else 0
    shift = 6 if about.st_uid == who.pw_uid else others
    return about.st_mode >> shift & _READ_AND_WRITE == _READ_AND_WRITE


def check_accounts(table: str, halves: Sequence[Half], *, apart: bool) -> Iterator[DoctorFinding]:
    """Yield a finding for each account that a half needs, or one that states that the halves share theirs."""
    if not apart:
        if not halves:
            yield passed(
                "accounts", "both halves share one: what parses device bytes can read the judge's key"
                " (storage.halves, Run the halves apart)",
            )  # fmt: skip
        return
    for half in halves:
        name = account_of(table, half)
        try:
            pwd.getpwnam(name)
        except KeyError:
            yield DoctorFinding(
                "bad", f"account {name}", "is not there", f"the unit pitwarden-{half}@{table} does not start",
                f"pitwarden setup, or add it to /etc/sysusers.d/pitwarden-{table}.conf; then: systemd-sysusers",
            )  # fmt: skip
        else:
            yield passed(f"account {name}", "runs this half alone")

"""Examination of the accounts under which the halves of a table run.

The units `pitwarden-field@` and `pitwarden-judge@` name an account for each half of each table. The unit
`pitwarden-table@` is the lesser choice: whoever takes over the part that parses device bytes can read the judge's key.
"""

import pwd
from collections.abc import Iterator, Sequence

from pitwarden.config.halves import account_of
from pitwarden.doctor.findings import DoctorFinding, passed
from pitwarden_client.events.topics import Half


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

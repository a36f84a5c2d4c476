"""Examination of the files with the credentials of logins: closed to accounts that are not the service's."""

from collections.abc import Iterator
from typing import Final

from pitwarden.config.credential_files import credential_files
from pitwarden.config.models import TableFile
from pitwarden.doctor.findings import DoctorFinding, passed

_OTHERS: Final = 0o007
_SUBJECT: Final = "passwords and TLS keys"
_WHY: Final = "whoever reads it can pass for this table at the broker, the database or the metrics endpoint"


def check_secret_files(table: TableFile) -> Iterator[DoctorFinding]:
    """Yield a finding for each password or TLS key of a login that every account of this machine may open.

    The keys of the table have findings of their own, and a file that is missing is found where it is used.
    """
    there = [path for path in credential_files(table) if path.exists()]
    open_to_all = [path for path in there if path.stat().st_mode & _OTHERS]
    for path in open_to_all:
        found = f"every account of this machine may open {path} (mode {path.stat().st_mode & 0o777:04o})"
        yield DoctorFinding("bad", _SUBJECT, found, _WHY, f"chmod o= {path}; then replace it, since it may be known")
    if there and not open_to_all:
        yield passed(_SUBJECT, "closed to other accounts")

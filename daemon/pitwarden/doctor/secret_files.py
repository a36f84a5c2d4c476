"""Examination of the files that hold a login's password or TLS key: closed to accounts that are not the service's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pitwarden.config.models import TableFile
from pitwarden.doctor.findings import DoctorFinding, passed

_OTHERS: Final = 0o007
_SUBJECT: Final = "password files"
_WHY: Final = "whoever reads it can sign in as this table"


def check_secret_files(table: TableFile) -> Iterator[DoctorFinding]:
    """Yield a finding for each password or TLS key of a login that every account of this machine may open.

    The keys of the table have findings of their own, and a file that is missing is found where it is used.
    """
    there = [path for path in _named(table) if path.exists()]
    open_to_all = [path for path in there if path.stat().st_mode & _OTHERS]
    for path in open_to_all:
        said = f"every account of this machine may open {path} (mode {path.stat().st_mode & 0o777:04o})"
        yield DoctorFinding("bad", _SUBJECT, said, _WHY, f"chmod o= {path}; then give the login a new password or key")
    if there and not open_to_all:
        yield passed(_SUBJECT, "closed to other accounts")


def _named(table: TableFile) -> Iterator[Path]:
    """Yield each password and TLS key that the table file names."""
    group, metrics = table.judge_group, table.metrics
    named = [table.broker.password_file, table.broker.key, None if metrics is None else metrics.key]
    named += [] if group is None else [group.password_file, group.key]
    yield from (path for path in named if path is not None)

"""What `pitwarden doctor` says of passwords and TLS keys of logins that every account may open."""

from pathlib import Path

import pytest

from pitwarden.cli.table_file import read_table_file
from pitwarden.config.models import BrokerSection, TableFile
from pitwarden.doctor.findings import DoctorFinding
from pitwarden.doctor.secret_files import check_secret_files
from testkit.tables.examined_table import file, found, only_bad_finding

__all__ = ["file"]


@pytest.fixture
def table(file: Path) -> TableFile:
    """Return a table whose login has a password and a TLS key."""
    made = read_table_file(file)
    assert made is not None
    broker = made.broker.model_dump() | {name: file.parent / name for name in ("password_file", "key")}
    for name in ("password_file", "key"):
        (file.parent / name).write_text("secret")
        (file.parent / name).chmod(0o640)
    return made.model_copy(update={"broker": BrokerSection.model_construct(**broker)})


def test_files_that_the_service_s_group_may_read_are_closed(table: TableFile) -> None:
    [one] = check_secret_files(table)
    assert one == DoctorFinding("ok", "passwords and TLS keys", "closed to other accounts")


@pytest.mark.parametrize("name", ["password_file", "key"])
def test_one_that_everybody_may_open_is_named_with_its_mode_and_the_command(table: TableFile, name: str) -> None:
    path = getattr(table.broker, name)
    path.chmod(0o644)
    said = only_bad_finding(list(check_secret_files(table)), "passwords and TLS keys")
    assert said == (
        f"every account of this machine may open {path} (mode 0644)"
        f" / chmod o= {path}; then replace it, since it may be known"
    )


def test_one_that_is_missing_is_found_where_it_is_used(table: TableFile) -> None:
    for name in ("password_file", "key"):
        getattr(table.broker, name).unlink()
    assert list(check_secret_files(table)) == []


async def test_a_table_without_such_files_has_no_finding_about_them(file: Path) -> None:
    assert [one for one in await found(file) if one.subject == "passwords and TLS keys"] == []

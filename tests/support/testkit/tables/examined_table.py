"""Table that `pitwarden doctor` examines: the fixture `file`, and its findings."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.cli.table_file import read_table_file
from pitwarden.doctor.examination import examine
from pitwarden.doctor.findings import DoctorFinding
from pitwarden.seal.keys import key_paths
from pitwarden.system.clock import SystemClock
from pitwarden_drivers import registry
from testkit.tables.table_file import small_table


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a table with keys whose broker and shoe are missing."""
    made = small_table(tmp_path)
    assert main(["keys", str(made)]) == 0
    return made


async def found(file: Path) -> list[DoctorFinding]:
    table = read_table_file(file)
    assert table is not None
    return await examine(file, table, key_paths(table.storage.keys), SystemClock(), registry.find_driver)


def only_bad_finding(findings: list[DoctorFinding], subject: str) -> str:
    """Return fact and remedy of the one bad finding about `subject`, which has a reason too."""
    [one] = [each for each in findings if each.level == "bad" and each.subject == subject]
    assert one.why
    assert one.remedy
    return f"{one.what} / {one.remedy}"

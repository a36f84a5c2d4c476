"""What a start loads and what a stop searches: no module that a table does not use, and no modules for garbage."""

import gc
import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from pitwarden.cli import main
from pitwarden.cli.table_file import read_table_file
from pitwarden.service.run import run_service
from pitwarden.system.process import loading
from pitwarden.system.service_manager import SystemdNotifier
from testkit.tables.table_file import small_table

LOADED = """
import gc, json, sys
from pitwarden.cli.main import find_commands
from pitwarden.system.process import loading
with loading():
    find_commands("run")
found = {name: name in sys.modules for name in ("structlog", "rich", "cryptography", "psycopg", "textual")}
import rich
print(json.dumps({**found, "collects": gc.isenabled(), "exempt": gc.get_freeze_count()}))
"""


def test_the_service_loads_no_console_no_certificates_and_no_database() -> None:
    said = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout
    found = json.loads(said)
    assert found.pop("exempt") > 10_000
    assert found == {
        "structlog": True, "rich": False, "cryptography": False, "psycopg": False, "textual": False, "collects": True,
    }  # fmt: skip


def test_a_command_of_another_package_may_load_rich() -> None:
    code = "from pitwarden.system.process import loading\nwith loading():\n    import rich.console"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_loading_leaves_a_rich_that_is_there_and_the_collector_as_it_was_after_an_error() -> None:
    import rich  # noqa: PLC0415  it must be there before

    with pytest.raises(ModuleNotFoundError), loading():
        import_module("pitwarden.cli.no_such_command")
    gc.unfreeze()
    assert gc.isenabled()
    assert sys.modules["rich"] is rich


def test_a_command_of_ours_reads_no_metadata_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def none_installed(*, group: str) -> tuple[EntryPoint, ...]:
        asked.append(group)
        return ()

    monkeypatch.setattr(main, "entry_points", none_installed)
    assert [one.name for one in main.find_commands("run")] == ["run"]
    assert asked == []
    assert main.find_commands("simulate") == []
    assert asked == [main.GROUP]


class FirstStop(SystemdNotifier):
    """Manager that notes what is exempt from the search for garbage when the service is ready, and stops it."""

    exempt = 0

    def ready(self, status: str) -> None:
        assert status
        self.exempt = gc.get_freeze_count()
        os.kill(os.getpid(), signal.SIGTERM)


async def test_what_a_start_has_built_is_searched_by_no_stop(tmp_path: Path) -> None:
    file = small_table(tmp_path, port=1)
    assert main.main(["keys", str(file)]) == 0
    table = read_table_file(file)
    assert table is not None
    gc.unfreeze()
    notifier = FirstStop()
    assert await run_service(table, only="field", notifier=notifier) == 0
    assert notifier.exempt > 0
    gc.unfreeze()

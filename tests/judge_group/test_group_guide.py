"""The guide for a group of judges as it is typed: from one judge's table into the group, its evidence, a lost database.

Each command of the page is extracted from it and typed, with a real PostgreSQL, a real broker and a judge process.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from testkit.brokers.mosquitto import MosquittoBroker
from testkit.brokers.site_broker import Site
from testkit.documents.page_blocks import ROOT, agrees, blocks
from testkit.installation.secured_postgresql import SecuredPostgresql, secured_postgresql
from testkit.processes.pit import judging, tables_of, write

pytestmark = [pytest.mark.broker, pytest.mark.full, pytest.mark.timeout(600)]
GUIDE = ROOT / "docs" / "how-to" / "technician" / "run-a-group-of-judges.md"
TABLE, ROWS = "ta01", 60


class Controller:
    """The machine of the guide: its folders, and a `systemctl` that reloads the judge process of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._places = {
            "/etc/pitwarden/pit": folder / "tables",
            "/srv/pitwarden/pit": folder / "rolled-out",
            "/var/lib/pitwarden/ta01/judge": folder / "journals",
            "/run/pitwarden": folder / "pitwarden",
            "/etc/systemd/system": folder / "units",
            "/usr/share/doc/pitwarden/examples": ROOT / "systemd",
        }
        self.typed: set[str] = set()
        programs = folder / "bin"
        programs.mkdir()
        (programs / "systemctl").write_text(
            f'#!/bin/sh\ncase "$1" in reload) kill -HUP "$(cat {folder}/pid)" ;; stop) ;; *) exit 1 ;; esac\n'
        )
        (programs / "systemctl").chmod(0o755)
        path = f"{programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**os.environ, "PATH": path}

    def here(self, text: str) -> str:
        """Return `text` with the places of a machine replaced by those of this controller."""
        for place, ours in self._places.items():
            text = text.replace(place, str(ours))
        return text

    def file_at(self, printed: str) -> str:
        """Return what the file whose path was printed says to this controller."""
        return self.here(Path(printed.strip()).read_text())

    async def type(self, first_words: str) -> str:
        """Type the block that begins with `first_words`, and return what it printed. It must succeed."""
        [block] = [one for one in blocks(GUIDE) if one.language == "bash" and one.text.startswith(first_words)]
        text = self.here(block.text)
        command = ["bash", "-euo", "pipefail", "-c", text]
        ran = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, env=self._environment, check=False, timeout=120
        )
        assert ran.returncode == 0, f"{block}:\n{text}\n{ran.stdout}{ran.stderr}"
        assert block.output is None or agrees(block.output, ran.stdout), ran.stdout
        self.typed.add(block.text.splitlines()[0])
        return str(ran.stdout)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SecuredPostgresql]:
    (tmp_path / "site").mkdir()
    with secured_postgresql(Site(tmp_path / "site", trustme.CA())) as made:
        yield made


async def test_the_guide_is_right_when_it_is_typed(
    broker: MosquittoBroker, database: SecuredPostgresql, tmp_path: Path
) -> None:
    controller = Controller(tmp_path)
    statements = tmp_path / "pitwarden-group.sql"

    write(tmp_path, broker.port, TABLE)
    async with tables_of(tmp_path, broker.port, TABLE) as tables:
        async with judging(tmp_path, name="former"):
            await tables.listening(TABLE)
            tables.send(TABLE, ROWS)
            await tables.judged(ROWS, TABLE)

        await controller.type("pitwarden group sql")
        database.as_owner(statements.read_text())
        write(tmp_path, broker.port, TABLE, more=database.section)
        drop_in = controller.file_at(await controller.type("mkdir -p /etc/systemd"))
        assert (controller.folder / "units" / "pitwarden-judge@pit.service.d").is_dir()
        assert f"run --only judge --config {tmp_path / 'tables'}\n" in drop_in
        assert "rows and" in await controller.type("systemctl stop")

        async with judging(tmp_path) as manager:
            await tables.listening(TABLE)
            tables.send(TABLE, ROWS)
            await tables.judged(2 * ROWS, TABLE)
            assert "judge-a, term" in await controller.type("pitwarden group show")
            assert manager.process is not None  # `kill 0` would be for the process group of this test
            await rolled_out(controller, manager.process.pid)
            tables.send(TABLE, ROWS)
            await tables.judged(3 * ROWS, TABLE)
        await controller.type("pitwarden group export")

        database.make_database()
        database.as_owner(statements.read_text())
        tables.states.clear()
        async with judging(tmp_path, name="new-database"):
            await tables.judged(3 * ROWS, TABLE)
            await controller.type("pitwarden group show")
    session = database.session()
    assert [row["n"] for row in await session.fetch("SELECT count(*) AS n FROM received")] == [3 * ROWS]
    await session.close()
    commands = {one.text.splitlines()[0] for one in blocks(GUIDE) if one.language == "bash"}
    assert commands == controller.typed


async def rolled_out(controller: Controller, pid: int) -> None:
    """Roll out a file that changes, twice: the second time nothing is copied."""
    (controller.folder / "pid").write_text(str(pid))
    new = controller.folder / "rolled-out"
    new.mkdir()
    served = controller.folder / "tables" / f"{TABLE}.toml"
    text = served.read_text().replace("[broker]\n", "[broker]\nanswer_seconds = 5\n")
    (new / served.name).write_text(text)
    for _ in range(2):
        shown = await controller.type("for file in /srv/pitwarden/pit")
        assert "judge-a, term" in shown.splitlines()[-1]
    assert served.read_text() == text

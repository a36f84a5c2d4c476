"""Standalone simulated devices: acts by hand reach a driver on the pty, and wrong words are answered."""

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pitwarden.cli.devices import identify_device
from pitwarden.cli.main import main
from pitwarden.cli.table_file import external_checks
from pitwarden.config.loading import SIMULATED_SERIAL, load_table_file
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.device import ShoeFault, ShoeLoaded, ShufflerDone
from pitwarden_drivers.api import PlainAnswer, PlainCard, PlainStack, Said, Secret
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.tdp.identity import Responder
from pitwarden_simulators.standalone.acts import ActError, sense
from pitwarden_simulators.standalone.bench import PLACED, PORT_FILE, SERIALS, SOCKET, Bench, bench
from pitwarden_simulators.table.table_builder import SERIALS as TABLE_SERIALS
from testkit.processes.service_manager import managed


class Heard:
    """A device's memory that only notes."""

    def __init__(self) -> None:
        self.said: list[Said] = []
        self.latched: list[Said] = []

    def emit(self, said: Said) -> int:
        self.said.append(said)
        return len(self.said)

    def latch(self, fault: Said) -> int:
        self.latched.append(fault)
        return 0

    def clear(self) -> None:
        self.latched.clear()


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench(tmp_path) as made:
        yield made


def test_words_become_what_the_device_senses() -> None:
    heard = Heard()
    for device, words in (
        ("shoe", "load A 384"),
        ("shoe", "draw 10H up"),
        ("shoe", "stack 2C 3C"),
        ("shuffler", "done A 383"),
        ("reader", "answer blackjack"),
        ("shoe", "jam"),
    ):
        sense(device, heard, words.split())
    assert heard.said == [
        ShoeLoaded(deck="A", count=384),
        PlainCard(Secret(parse_face("10H")), up=True),
        PlainStack(2, (Secret(parse_face("2C")), Secret(parse_face("3C")))),
        ShufflerDone(deck="A", count=383),
        PlainAnswer(Secret(1)),
    ]
    assert heard.latched == [ShoeFault(fault="jam")]


@pytest.mark.parametrize("words", ["draw", "draw 11H", "load A many", "dance", "cut now"])
def test_other_words_are_answered_with_the_acts(words: str) -> None:
    with pytest.raises(ActError, match=r"draw CARD \[up\]"):
        sense("shoe", Heard(), words.split())


def test_an_answer_of_a_reader_has_two_words() -> None:
    with pytest.raises(ActError, match="answer blackjack"):
        sense("reader", Heard(), ["answer", "perhaps"])


async def test_a_line_text_device_says_its_event_on_the_pty(running: Bench, tmp_path: Path) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    with (tmp_path / "text-shuffler").open("rb", buffering=0) as line:
        loop.add_reader(line, ready.set)
        assert running.act("text-shuffler done A 52") == "ok"
        await ready.wait()
        loop.remove_reader(line)
        assert line.read(64) == b"DONE A N=52*35\r\n"


async def test_a_cable_is_pulled_and_plugged_in(running: Bench, tmp_path: Path) -> None:
    assert running.act("shoe unplug") == "ok"
    assert not (tmp_path / "shoe").exists()
    assert running.act("shoe plug") == "ok"
    assert stat.S_ISCHR((tmp_path / "shoe").stat().st_mode)
    assert running.act("shoe jam") == "ok"
    assert running.act("shoe clear") == "ok"


async def test_a_device_is_replaced_by_another_that_answers_with_its_own_number(running: Bench, tmp_path: Path) -> None:
    assert running.act("shoe draw 9H") == "ok"
    assert running.act("shoe replace S-1") == "error: 'S-1': the serial number of a simulated device begins with SIM-"
    assert running.act("shoe replace SIM-S2") == "ok"
    answer = await identify_device(PortOpener(), str(tmp_path / "shoe"), SystemClock())
    assert answer == Responder("shoe", "SIM-S2", "1.0.0-sim")
    assert running.act("text-shuffler replace SIM-T2") == "ok"


async def test_what_is_not_there_is_named(running: Bench) -> None:
    assert running.act("oven draw 9H") == f"error: there is no device 'oven': choose from {', '.join(SERIALS)}"
    assert running.act("").startswith("error: there is no device ''")
    assert running.act("shoe drawn 9H").startswith("error: shoe: write one of: load DECK COUNT")


async def typed(folder: Path, *words: str) -> tuple[int | None, str]:
    """Return the exit code and the text of `pitwarden simulate` in `folder`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pitwarden.cli", "simulate", *words, cwd=folder,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    out, _ = await process.communicate()
    return process.returncode, out.decode()


async def test_the_commands_start_act_and_stop(tmp_path: Path) -> None:
    async with asyncio.TaskGroup() as tasks:
        started = tasks.create_task(typed(tmp_path, "start", "bench"))
        code, port = await typed(tmp_path, "wait", "bench")
        assert (code, port) == (0, (tmp_path / "bench" / PORT_FILE).read_text())
        assert await typed(tmp_path, "table", "bench") == (0, "bench/table.toml\n")
        table = load_table_file(tmp_path / "bench" / "table.toml", external_checks(), {})
        assert table.devices["shoe"].port == str(tmp_path / "bench" / "shoe")
        assert (await typed(tmp_path, "table", "bench"))[0] == 1
        assert await typed(tmp_path, "act", "bench", "shoe", "draw", "9H") == (0, "")
        code, answer = await typed(tmp_path, "act", "bench", "shoe", "draw")
        assert code == 1
        assert "draw CARD [up]" in answer
        assert await typed(tmp_path, "stop", "bench") == (0, "")
    assert started.result()[0] == 0
    assert not (tmp_path / "bench" / SOCKET).exists()
    assert not (tmp_path / "bench" / PORT_FILE).exists()


async def test_as_a_unit_it_reports_its_devices_and_its_group_may_open_them(tmp_path: Path) -> None:
    folder = tmp_path / "ta01"
    command = ["-m", "pitwarden.cli", "simulate", "start", "--devices-only", str(folder)]
    async with managed(tmp_path, command) as manager:
        ready = await manager.until(lambda said: "READY" in said)
        assert ready["STATUS"] == "SIMULATED devices: shoe plugged in, shuffler plugged in, reader plugged in"
        assert {file.name for file in folder.iterdir()} == {*PLACED, SOCKET}
        for name in PLACED:
            port = (folder / name).stat()
            assert (stat.S_IMODE(port.st_mode), port.st_gid) == (0o660, os.getegid())
        assert await typed(tmp_path, "act", "ta01", "shoe", "unplug") == (0, "")
        await manager.until(lambda said: "shoe unplugged" in said.get("STATUS", ""))
        assert await typed(tmp_path, "act", "ta01", "shoe", "plug") == (0, "")
        assert stat.S_IMODE((folder / "shoe").stat().st_mode) == 0o660
        assert manager.process is not None
        manager.process.terminate()
        assert await manager.process.wait() == 0
    assert list(folder.iterdir()) == []


def test_each_serial_number_is_one_that_a_table_that_deals_refuses() -> None:
    assert {number[: len(SIMULATED_SERIAL)] for number in (*SERIALS.values(), *TABLE_SERIALS.values())} == {
        SIMULATED_SERIAL
    }


def test_where_nothing_runs_the_command_says_how_to_start_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pitwarden_simulators.standalone.command._PATIENCE_S", 0.0)
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", "act", "bench", "shoe", "cut"]) == 2
    assert main(["simulate", "wait", "bench"]) == 2
    assert capsys.readouterr().err.count("pitwarden simulate start bench &") == 2

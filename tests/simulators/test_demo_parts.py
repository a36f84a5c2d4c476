"""The parts of the demo that need no night: where it may publish, what it writes, what it says at the end."""

import io
import socket
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.cli.table_file import external_checks
from pitwarden.config.loading import load_table_file
from pitwarden_client.events.outputs import Irregularity
from pitwarden_simulators.demo.broker import broker, loopback
from pitwarden_simulators.demo.command import COMMAND
from pitwarden_simulators.demo.errors import DemoError, DemoRefused
from pitwarden_simulators.demo.report import PlainReport, told
from pitwarden_simulators.demo.service import service
from pitwarden_simulators.demo.summary import Result, closing
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.faults.fault import Expected
from pitwarden_simulators.faults.verdict_log import Observed, VerdictLine
from pitwarden_simulators.table.setup import CB_AUTO, TABLES, SimulatedTableSetup
from pitwarden_simulators.table.table_builder import SERIALS

RACK = frozenset({"RACK"})
EXPECTED = Expected("face_up", "TAB-36", RACK, 3, "the card goes to the discard rack")
CLEARED = Observed("TAB-36", ("13:69F-36.14(a)",), RACK, 3, "cleared", 12)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("mqtt://127.0.0.1:1884", ("127.0.0.1", 1884)),
        ("mqtt://localhost", ("127.0.0.1", 1883)),
        ("mqtt://[::1]:1883", ("::1", 1883)),
    ],
)
def test_a_broker_on_loopback_is_taken(url: str, address: tuple[str, int]) -> None:
    assert loopback(url) == address


@pytest.mark.parametrize(
    "url",
    ["mqtt://10.0.0.1", "mqtt://broker.example", "mqtt://0.0.0.0", "http://127.0.0.1", "127.0.0.1", "mqtt://[::1]:x"],
)
def test_any_other_broker_is_refused_before_anything_starts(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DemoRefused):
        loopback(url)
    assert main(["demo", "--broker", url]) == 2
    assert capsys.readouterr().err.startswith("demo: ")


@pytest.mark.parametrize("words", [["--faults", "stray_tn"], ["--rounds", "0"], ["--speed", "-1"]])
def test_what_cannot_be_played_is_refused_with_a_sentence(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", *words]) == 2
    assert capsys.readouterr().err.startswith("demo: ")


async def test_the_embedded_broker_listens_on_loopback_alone_and_is_gone_afterwards(tmp_path: Path) -> None:
    async with broker(None, tmp_path) as (host, port):
        assert host == "127.0.0.1"
        with socket.create_connection((host, port), timeout=5):
            pass
        with socket.socket() as other:
            other.bind(("127.0.0.2", port))  # free: the broker took one address, not all
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((host, port), timeout=5).close()


@pytest.mark.parametrize("setup", TABLES.values(), ids=lambda setup: setup.table)
def test_the_table_file_passes_the_very_check_of_the_service(setup: SimulatedTableSetup, tmp_path: Path) -> None:
    ports = {name: str(tmp_path / name) for name in SERIALS if name != "reader" or setup.reader}
    file = tmp_path / "table.toml"
    file.write_text(table_file(setup, "demo", ("127.0.0.1", 1883), ports, "06:30"))
    table = load_table_file(file, external_checks(), {})
    assert table.table.simulated
    assert table.table.game == setup.game
    assert set(table.devices) == set(ports)
    assert table.devices["shoe"].automated == setup.automated
    assert table.devices["shuffler"].counts == setup.counting


def test_no_gaming_day_begins_within_twelve_hours() -> None:
    assert far_from(0) == "12:00"
    assert far_from(13 * 3_600_000 + 59 * 60_000) == "01:59"


async def test_a_service_that_ends_by_itself_is_said_with_its_last_words(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text("[table]\nsit = 1\n")
    with pytest.raises(BaseExceptionGroup) as caught:
        async with service(config, [None]) as running:
            await running.ended()
    [error] = [one for one in caught.value.exceptions if isinstance(one, DemoError)]
    assert "code 78" in str(error)
    assert "did you mean site?" in str(error)


def result(*lines: VerdictLine, complaints: tuple[str, ...] = ()) -> Result:
    quiet = tuple(fault for fault in load_faults() if fault.name == "reboot")[:1]
    return Result("tab-shielded", 20, 300, 2, 0, lines, quiet, complaints)


def test_the_summary_says_what_was_injected_and_how_it_was_cleared() -> None:
    good = result(VerdictLine(3, EXPECTED, CLEARED))
    text = "\n".join(closing([good]))
    assert good.good
    assert "cleared: the card goes to the discard rack" in text
    assert "12 ms" in text
    assert text.endswith("1 as injected, 0 not: all is well")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (VerdictLine(3, EXPECTED, None), "MISSED"),
        (VerdictLine(3, None, CLEARED), "INVENTED"),
        (VerdictLine(3, EXPECTED, Observed("TAB-36", (), RACK, 3, "acknowledged")), "STILL OPEN"),
    ],
)
def test_the_summary_does_not_hide_what_is_wrong(line: VerdictLine, word: str) -> None:
    bad = result(line)
    text = "\n".join(closing([bad]))
    assert not bad.good
    assert word in text
    assert text.endswith("NOT as it must be")


def test_a_refused_input_spoils_a_night() -> None:
    bad = result(complaints=("row 7: refused",))
    assert not bad.good
    assert "unexpected: row 7: refused" in "\n".join(closing([bad]))


def test_plain_lines_report_an_irregularity_once_when_it_opens_and_once_when_it_ends() -> None:
    out = io.StringIO()
    report = PlainReport(out)
    said = Irregularity.model_validate(
        {
            "ref": "1", "catalogue": "TAB-36", "clauses": ("c",), "verdicts": ("RACK",), "basis": "text",
            "status": "open", "actor": "dealer", "clears": "", "sentence": "Rack it.", "round": 3,
        }
    )  # fmt: skip
    for status in ("open", "acknowledged", "cleared"):
        told(report, CB_AUTO.table, said.model_copy(update={"status": status}))
    assert out.getvalue().splitlines() == ["cb-auto round 3: TAB-36 RACK: Rack it.", "cb-auto round 3: TAB-36 cleared"]


def test_the_command_is_found_by_its_entry_point() -> None:
    assert COMMAND.name == "demo"
    with pytest.raises(SystemExit) as ended:
        main(["demo", "--help"])
    assert ended.value.code == 0


def test_a_night_is_kept_in_a_new_folder_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--keep", str(tmp_path), "--faults", "none"]) == 2
    assert f"--keep: {tmp_path}: File exists. Name a new folder" in capsys.readouterr().err

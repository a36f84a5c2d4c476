"""Captures: drivers report what was blessed, simulators still answer so, and no open table is recorded."""

import asyncio
import json
import signal
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from capture_bench import Scene, answered, driver_name, heard, record, text
from capture_scenes import SCENES
from pitwarden.cli.main import main
from pitwarden.clock import SystemClock
from pitwarden.events.device import ShoeCut
from pitwarden_drivers.api import Expected, LineStats, PlainCard, Secret
from pitwarden_drivers.capture.form import Capture, CaptureRefused, Step, parse
from pitwarden_drivers.capture.recording import RecordingDriver
from pitwarden_drivers.capture.replay import Replay
from pitwarden_drivers.registry import find, names
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.ports.pty import PtyPort
from table_with_journals import file
from waiting import until

__all__ = ["file"]
CAPTURES = Path(__file__).parents[1] / "captures"
HEEDING_CTRL_C = """
import signal, sys
from pitwarden.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # else a shell's background job ignores it
sys.exit(main(sys.argv[1:]))
"""
each_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)


def capture_of(scene: Scene) -> Capture:
    path = CAPTURES / f"{scene.name}.capture"
    return parse(str(path), path.read_text())


def test_each_shipped_driver_has_captures_and_they_give_what_was_blessed() -> None:
    assert {scene.driver.partition(":")[0] for scene in SCENES} == {*names(), "map", "scan"}
    files = [str(CAPTURES / f"{scene.name}.capture") for scene in SCENES]
    assert main(["capture", "replay", *files]) == 0


@each_scene
def test_the_simulated_device_still_says_what_its_capture_says(scene: Scene) -> None:
    capture = capture_of(scene)
    assert capture.header.simulated == "yes"
    assert answered(scene, capture) == heard(capture)


@each_scene
def test_a_capture_shows_no_byte_of_a_card_in_its_events_or_reprs(scene: Scene) -> None:
    capture = capture_of(scene)
    lines = Replay(capture, find(driver_name(scene))).lines()
    assert not [line for line in lines if "face" in line or "bit" in line]
    assert all(word not in repr(capture) for step in capture.steps if step.op == "<" for word in step.words)


@each_scene
def test_the_scene_under_the_driver_is_still_the_capture(scene: Scene) -> None:
    assert text(record(scene)) == (CAPTURES / f"{scene.name}.capture").read_text()


def test_what_is_longer_than_a_capture_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwarden_drivers.capture.form.MAX_BYTES", 10)
    with pytest.raises(CaptureRefused, match="longer than 10 bytes"):
        parse("x", TITLE)


def test_what_differs_is_shown_and_blessed_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = (CAPTURES / "tdp-reader.capture").read_text()
    copy = tmp_path / "bug.capture"
    copy.write_text(good)
    assert main(["capture", "replay", str(copy)]) == 1
    assert "nothing is blessed beside it" in capsys.readouterr().out
    assert main(["capture", "replay", "--bless", str(copy)]) == 0
    lines = good.splitlines(keepends=True)
    copy.write_text(
        "".join(line for line in lines if " > 7e03000000010000000" not in line or not line.startswith("800"))
    )
    capsys.readouterr()
    assert main(["capture", "replay", str(copy)]) == 1
    assert "the driver sends 15 bytes that differ" in capsys.readouterr().out
    last = max(at for at, line in enumerate(lines) if " < 7e83" in line)
    copy.write_text("".join(lines[:last]))
    assert main(["capture", "replay", str(copy)]) == 1
    assert "-800 1/4 reader.fault" in capsys.readouterr().out


HEAD = "".join(f"# {key}: {value}\n" for key, value in (
    ("device", "x"), ("driver", "tdp"), ("family", "shoe"), ("serial", "N42"), ("firmware", ""), ("simulated", "no"),
    ("who", "x"), ("when", "x"), ("how", "x"), ("starts", "0"),
))  # fmt: skip
TITLE = "# pitwarden capture 1\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "x:1: a capture begins with"),
        (f"{TITLE}0 open 0 0\n", "`device` is missing"),
        (f"{TITLE}{HEAD}# colour: red\n0 open 0 0\n", "`colour` is no known key"),
        (f"{TITLE}{HEAD.replace('simulated: no', 'simulated: maybe')}0 open 0 0\n", "yes or no"),
        (f"{TITLE}{HEAD}0 < 00\n", "begins with the opening"),
        (f"{TITLE}{HEAD}5 open 0 0\n\n4 tick\n", "x:14: .* never less"),
        (f"{TITLE}{HEAD}0 open 0 0\n4 tock\n", "x:13: a step is one of"),
        (f"{TITLE}{HEAD}0 open 0 0\n4 < 0g\n", "x:13: bytes are hexadecimal"),
        (f"{TITLE}{HEAD}0 open zero 0\n", "x:12: .*positions are numbers"),
    ],
)
def test_a_file_that_is_no_capture_is_named_with_its_line(text: str, words: str) -> None:
    with pytest.raises(CaptureRefused, match=words):
        parse("x", text)


def test_what_cannot_be_replayed_ends_with_78(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.capture"
    assert main(["capture", "replay", str(path)]) == 78
    path.write_text(f"{TITLE}{HEAD.replace('driver: tdp', 'driver: tpd')}0 open 0 0\n")
    assert main(["capture", "replay", str(path)]) == 78
    path.write_text(f"{TITLE}{HEAD.replace('family: shoe', 'family: wheel')}0 open 0 0\n")
    assert main(["capture", "replay", str(path)]) == 78
    assert [line.split(":")[-1].strip() for line in capsys.readouterr().err.splitlines()][-1].startswith("'wheel'")


def test_a_dialogue_that_ended_is_said_and_what_came_after_it_went_nowhere() -> None:
    capture = parse("x", f"{TITLE}{HEAD}0 open 0 0\n6000 tick\n6001 < 7e\n")
    replay = Replay(capture, find("tdp"))
    assert next(line.split(":")[0] for line in replay.lines()) == "6000 DeviceSilent"


def test_a_dialogue_that_is_written_down_looks_as_it_does_alone() -> None:
    steps, expected = list[Step](), Expected("shoe", "N42")
    alone, written = (driver.session(expected) for driver in (find("tdp"), RecordingDriver(find("tdp"), steps.append)))
    device = TdpDevice("shoe", "N42", Memory(1), heartbeat_ms=100)
    turn = alone.begin(0)
    assert written.begin(0) == turn
    for now in range(10, 1_000, 10):
        data = device.receive(now, turn.send) + device.tick(now) + b"\x7egarbage\x7e"
        turn = alone.receive(now, data)
        assert written.receive(now, data) == turn
        assert (written.identified, written.heard_at, written.stats) == (alone.identified, alone.heard_at, alone.stats)
    assert alone.identified
    assert alone.stats != LineStats()
    assert [step.op for step in steps].count("<") == 99


async def test_a_device_on_the_bench_is_recorded_and_replays_as_it_was(tmp_path: Path) -> None:
    memory = Memory(1)
    device = TdpDevice("shoe", "N42", memory, heartbeat_ms=100)
    memory.say(PlainCard(Secret(39)))
    out = tmp_path / "n42.capture"
    with PtyPort(tmp_path / "n42", device, SystemClock()) as pty:
        recording = await asyncio.create_subprocess_exec(
            sys.executable, "-c", HEEDING_CTRL_C, "capture", "record", "--port", pty.link, "--family", "shoe",
            "--serial", "N42", "--simulated", "--how", "one card", "--out", out,
        )  # fmt: skip
        await until(lambda: not memory.kept, pause=0.005)
        memory.say(ShoeCut())
        pty.pump.poke()
        await until(lambda: not memory.kept, pause=0.005)
        recording.send_signal(signal.SIGINT)
        assert await recording.wait() == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert main(["capture", "replay", "--bless", str(out)]) == 0
    assert main(["capture", "replay", str(out)]) == 0
    events = out.with_name("n42.capture.events").read_text()
    assert "1/1 shoe.card" in events
    assert "1/2 shoe.cut" in events


RECORD = ["capture", "record", "--seconds", "0.01", "--how", "x"]
PLACE = "/dev/serial/by-id/nothing"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("shoe", "N1", PLACE), 78, "not closed"),
        (("reader", "N2", "/dev/serial/by-id/shoe"), 78, "not closed"),
        (("shuffler", "N1", PLACE), 78, "not closed"),
        (("shuffler", "N2", "/dev/serial/by-id/shoe"), 78, "not closed"),
        (("shuffler", "N2", PLACE), 1, "lost"),
        (("shoe", "N2", PLACE), 1, "lost"),
        (("shoe", "N2", "/dev/ttyUSB0"), 78, "another device after the next start"),
        (("shoe", "N2", PLACE, "--driver", "tpd"), 78, "did you mean 'tdp'"),
    ],
)
def test_a_card_reading_device_of_an_open_table_is_not_recorded(
    file: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, said: str
) -> None:
    file.write_text(file.read_text().replace("simulated = true\n", "").replace("/nowhere", "/dev/serial/by-id"))
    out = file.parent / "out.capture"
    family, serial, port, *more = words
    argv = [*RECORD, "--family", family, "--serial", serial, "--port", port, *more, "--config", str(file)]
    assert main([*argv, "--out", str(out)]) == code
    assert said in capsys.readouterr().err
    assert out.exists() == (code == 1)


@pytest.mark.parametrize("place", ["hid://1209:0002/S-9", "usb://1209:0002/S-9?port=1-2"])
def test_a_usb_device_is_the_same_under_each_of_its_places(
    file: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    text = file.read_text().replace("simulated = true\n", "")
    file.write_text(text.replace("/nowhere/shoe", "hid://1209:0002/S-9?port=1-2"))
    argv = [*RECORD, "--family", "shuffler", "--serial", "N2", "--port", place, "--config", str(file)]
    assert main([*argv, "--out", str(file.parent / "x")]) == 78
    assert "not closed" in capsys.readouterr().err


def test_a_closed_table_lets_its_shoe_be_recorded(file: Path) -> None:
    file.write_text(file.read_text().replace("simulated = true\n", "").replace("/nowhere", "/dev/serial/by-id"))
    log = file.parent / "journals/field.sqlite"
    words = ["--family", "shoe", "--serial", "N1", "--port", PLACE]
    argv = [*RECORD, *words, "--config", str(file), "--out", str(file.parent / "x")]
    with sqlite3.connect(log) as sql:
        for place, body in sql.execute("SELECT place, body FROM row").fetchall():
            row = json.loads(body)
            if row["data"].get("act", {}).get("act") == "ft.table_open":
                row["data"]["act"] = {"act": "ft.table_close", "locked": True}
                sql.execute("UPDATE row SET body = ? WHERE place = ?", (json.dumps(row).encode(), place))
    sql.close()
    assert main(argv) == 1
    log.write_bytes(b"not a journal")
    assert main(argv) == 78
    log.unlink()
    assert main(argv) == 1


def test_a_step_shows_no_bytes() -> None:
    assert "7e" not in repr(Step(0, "<", ("7e",)))

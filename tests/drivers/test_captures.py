"""The shipped captures: drivers report what was blessed, simulators still answer so, no card shows."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden_drivers.capture.format import Capture, parse_capture
from pitwarden_drivers.capture.replay import CaptureReplay
from pitwarden_drivers.registry import driver_names, find_driver
from testkit.captures.scene_recorder import Scene, answered, driver_name, heard, record, text
from testkit.captures.scenes import SCENES

CAPTURES = Path(__file__).parents[1] / "captures"
each_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)


def capture_of(scene: Scene) -> Capture:
    path = CAPTURES / f"{scene.name}.capture"
    return parse_capture(str(path), path.read_text())


def test_each_shipped_driver_has_captures_and_they_give_what_was_blessed() -> None:
    assert {scene.driver.partition(":")[0] for scene in SCENES} == {*driver_names(), "map", "scan"}
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
    lines = CaptureReplay(capture, find_driver(driver_name(scene))).lines()
    assert not [line for line in lines if "face" in line or "bit" in line]
    assert all(word not in repr(capture) for step in capture.steps if step.op == "<" for word in step.words)


@each_scene
def test_the_scene_under_the_driver_is_still_the_capture(scene: Scene) -> None:
    assert text(record(scene)) == (CAPTURES / f"{scene.name}.capture").read_text()


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

"""Makes the captures of simulated devices anew and blesses them: `python tests/captures/make.py`; read the diff."""

import sys
from pathlib import Path

from pitwarden_drivers.capture.replay import CaptureReplay
from pitwarden_drivers.registry import find_driver
from testkit.captures.scene_recorder import driver_name, record, text
from testkit.captures.scenes import SCENES

HERE = Path(__file__).parent
sys.path += [str(HERE.parents[1] / part) for part in ("daemon", "drivers", "simulators", "tests/support")]

for scene in SCENES:
    capture = record(scene)
    (HERE / f"{scene.name}.capture").write_text(text(capture))
    lines = CaptureReplay(capture, find_driver(driver_name(scene))).lines()
    (HERE / f"{scene.name}.capture.events").write_text("".join(f"{line}\n" for line in lines))

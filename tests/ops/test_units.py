"""The shipped units: understood by systemd without a warning, tight, and patient with a table that comes back late."""

import configparser
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[2] / "systemd"
SANDBOX = UNITS / "pitwarden-.service.d" / "10-sandbox.conf"
SERVICES = (
    "pitwarden-table@ta01.service", "pitwarden-field@ta01.service", "pitwarden-judge@ta01.service",
    "pitwarden-field@ta01-field.service", "pitwarden-judge@ta01-judge.service",  # both on one machine
    "pitwarden-simulators@ta01.service",
)  # fmt: skip
MOST_EXPOSED = 15  # tenths
pytestmark = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


def analyze(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run systemd-analyze on a copy of the units, whose program exists."""
    units = folder / "units"
    shutil.copytree(UNITS, units)
    for file in units.rglob("*.service"):
        file.write_text(file.read_text().replace("/usr/bin/pitwarden", "/bin/true"))
    sandbox = units / SANDBOX.relative_to(UNITS)
    sandbox.write_text(sandbox.read_text().replace("/usr/bin/pitwarden", "/bin/true"))
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:/usr/lib/systemd/system"}
    return subprocess.run(
        ["systemd-analyze", *words], capture_output=True, text=True, check=False, env=environment, cwd=units
    )


def test_systemd_understands_every_line(tmp_path: Path) -> None:
    said = analyze(tmp_path, "verify", "--recursive-errors=no", "--man=no", *(f"./{name}" for name in SERVICES))
    assert (said.returncode, said.stdout + said.stderr) == (0, "")


@pytest.mark.parametrize("service", SERVICES)
def test_the_exposure_is_small_with_real_devices(service: str, tmp_path: Path) -> None:
    said = analyze(tmp_path, "security", "--offline=yes", f"--threshold={MOST_EXPOSED}", f"./{service}")
    print(said.stdout.splitlines()[-1])  # noqa: T201  the figure, for the auditor
    assert said.returncode == 0


def sandbox() -> dict[str, str]:
    """Return the sandbox's settings; of a repeated one, the last."""
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(SANDBOX.read_text())
    return dict(parser["Service"])


def test_a_table_that_was_down_comes_back_and_a_refused_configuration_does_not_storm() -> None:
    """B37."""
    found = sandbox()
    assert (found["Type"], found["Restart"], found["RestartPreventExitStatus"]) == ("notify", "always", "78")
    assert int(found["RestartSec"]) >= 5
    assert int(found["TimeoutStopSec"]) > 5
    for unit in UNITS.glob("*.service"):
        assert "\nStartLimitIntervalSec=0\n" in unit.read_text(), unit.name
        assert not re.search(r"^(BindsTo|Requires)=", unit.read_text(), re.MULTILINE), unit.name


def test_a_service_may_start_the_program_that_salvages_its_journal() -> None:
    text = SANDBOX.read_text()
    filters = re.findall(r"^SystemCallFilter=(.*)$", text, re.MULTILINE)
    assert "@system-service" in filters[0].split()  # of which @process is a part
    assert not [each for each in filters if each.startswith("~") and "@process" in each]
    assert not re.search(r"^(NoExecPaths|InaccessiblePaths|LimitNPROC|TasksMax|KillMode)=", text, re.MULTILINE)


def test_memory_with_cards_and_keys_reaches_no_disk() -> None:
    found = sandbox()
    assert (found["LimitCORE"], found["MemorySwapMax"]) == ("0", "0")

"""Fixture `promtool`: the program of Prometheus that checks rules."""

import subprocess
from pathlib import Path

import pytest

_GET = Path(__file__).parents[3] / "get_promtool.sh"


@pytest.fixture(scope="session")
def promtool() -> str:
    """Return the path of a promtool; skip where there is none and none can be fetched."""
    got = subprocess.run([_GET], capture_output=True, text=True, check=False)
    if got.returncode != 0:
        pytest.skip(f"no promtool, and no Debian archive that has it: {got.stderr[-200:]}")
    return got.stdout.strip()

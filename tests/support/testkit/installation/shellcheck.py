"""Fixture `shellcheck`: Debian's checker of shell scripts."""

import subprocess
from pathlib import Path

import pytest

_GET = Path(__file__).parents[3] / "get_shellcheck.sh"


@pytest.fixture(scope="session")
def shellcheck() -> str:
    """Return the path of a shellcheck; skip where there is none and none can be fetched."""
    got = subprocess.run([_GET], capture_output=True, text=True, check=False)
    if got.returncode != 0:
        pytest.skip(f"no shellcheck, and no Debian archive that has it: {got.stderr[-200:]}")
    return got.stdout.strip()

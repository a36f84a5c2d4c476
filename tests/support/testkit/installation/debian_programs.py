"""Fixtures of programs that Debian has: `promtool`, which checks rules of Prometheus, and `shellcheck`."""

import subprocess
from pathlib import Path

import pytest

_GET = Path(__file__).parents[3] / "get_debian_program.sh"


def _fetched(*program_and_package: str) -> str:
    got = subprocess.run([_GET, *program_and_package], capture_output=True, text=True, check=False)
    if got.returncode != 0:
        pytest.skip(f"no {program_and_package[0]}, and no Debian archive that has it: {got.stderr[-200:]}")
    return got.stdout.strip()


@pytest.fixture(scope="session")
def promtool() -> str:
    """Return the path of a promtool; skip where there is none and none can be fetched."""
    return _fetched("promtool", "prometheus")


@pytest.fixture(scope="session")
def shellcheck() -> str:
    """Return the path of a shellcheck; skip where there is none and none can be fetched."""
    return _fetched("shellcheck")

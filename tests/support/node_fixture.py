"""The fixture `js`: runs a script of tests/js on node, with the packages of its lock file from the npm registry."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

_GET = Path(__file__).parent.parent / "get_node_modules.sh"

RunJs = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def js() -> RunJs:
    """Runs `js(script, *arguments)` to its end; skips where packages are out of reach."""
    got = subprocess.run(
        [_GET], capture_output=True, text=True, check=False, env={**os.environ, "PYTHON": sys.executable}
    )
    if got.returncode != 0:
        pytest.skip(f"no node with the packages of tests/js, and no registry to bring them: {got.stderr[-200:]}")
    folder = Path(got.stdout.strip())

    def run(script: str, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [folder / "node", folder / script, *words], capture_output=True, text=True, check=False, timeout=50
        )

    return run

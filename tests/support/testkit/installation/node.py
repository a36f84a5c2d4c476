"""Fixture `js`: node, with the packages that the lock file of tests/js takes from the npm registry."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

_GET = Path(__file__).parents[3] / "get_node_modules.sh"


@dataclass(frozen=True)
class Js:
    """Folder with node and the scripts of tests/js."""

    folder: Path

    def command(self, script: str, *words: str) -> list[str]:
        """Return the command that starts a script."""
        return [str(self.folder / "node"), str(self.folder / script), *words]


@pytest.fixture(scope="session")
def js() -> Js:
    """Fetch node and the packages; skip where they are out of reach."""
    got = subprocess.run(
        [_GET], capture_output=True, text=True, check=False, env={**os.environ, "PYTHON": sys.executable}
    )
    if got.returncode != 0:
        pytest.skip(f"no node with the packages of tests/js, and no registry to bring them: {got.stderr[-200:]}")
    return Js(Path(got.stdout.strip()))

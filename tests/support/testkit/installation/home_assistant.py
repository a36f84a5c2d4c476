"""The fixture `home_assistant`: a Python with Home Assistant's MQTT integration, by a lock of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_TESTS = Path(__file__).parents[3]


@dataclass(frozen=True)
class HomeAssistant:
    """Judge of discovery messages."""

    python: str

    def judge(self, asked: Sequence[dict[str, object]]) -> list[dict[str, Any]]:
        """Return what Home Assistant's schemas and templates make of each message; see judge_discovery.py."""
        script = str(_TESTS / "home_assistant" / "judge_discovery.py")
        lines = "".join(json.dumps(each) + "\n" for each in asked)
        done = subprocess.run([self.python, script], input=lines, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="session")
def home_assistant() -> HomeAssistant:
    """Fetch Home Assistant's integration; skip where it is out of reach."""
    got = subprocess.run(
        [_TESTS / "get_home_assistant.sh"], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHON": sys.executable},
    )  # fmt: skip
    if got.returncode != 0:
        pytest.skip(f"no Home Assistant, and no registry to bring it: {got.stderr[-200:]}")
    return HomeAssistant(got.stdout.strip())

"""The same log gives the same bytes under any hash seed, at every game."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import hashlib, sys
from pitwarden.rules import initial_state, public_state, state_to_bytes, step
from testkit.nights.arbitrary_rows import SETUPS, night
made = hashlib.sha256()
for name in ("tab-visible", "cb-auto", "da-shielded", "in-between", "switch-hands"):
    state = initial_state(SETUPS[name])
    for row in night(name, 2, faults=name == "tab-visible"):
        state, said = step(state, row)
        made.update(repr((said, public_state(state))).encode())
    made.update(state_to_bytes(state))
print(made.hexdigest())
"""


@pytest.mark.slow
def test_outputs_do_not_depend_on_the_hash_seed() -> None:
    path = os.pathsep.join(str(ROOT / part) for part in ("daemon", "drivers", "simulators", "tests/support"))
    digests = set()
    for seed in ("0", "4242"):
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(done.stdout.strip())
    assert len(digests) == 1

"""The fixture `file`: a table file with its keys and the journals of a stored night beside it."""

from pathlib import Path

import pytest

from pitwarden_simulators.table.setup import TAB_SHIELDED
from sealed_night import SITE
from stored_night import stored, write_keys

TABLE = f"""\
[table]
site = "{SITE}"
table = "{TAB_SHIELDED.table}"
game = "triple-attack-blackjack"
positions = 6
decks = {{ A = "red" }}
simulated = true

[storage]
journals = "journals"
keys = "keys"

[devices.shoe]
family = "shoe"
port = "/nowhere/shoe"
serial = "N1"

[attestations.G-05]
by = "tests"
on = 2020-01-01

[attestations.G-11]
by = "tests"
on = 2020-01-01
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A table file with keys and a stored night beside it."""
    (tmp_path / "journals").mkdir()
    stored(tmp_path / "journals")
    write_keys(tmp_path / "keys")
    made = tmp_path / "table.toml"
    made.write_text(TABLE)
    return made

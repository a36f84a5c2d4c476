"""The fixture `file`: a table file with its keys and the journals of a stored night beside it."""

from pathlib import Path

import pytest

from pitwarden_simulators.table.setup import TAB_SHIELDED
from sealed_night import SITE
from small_table import small_table
from stored_night import stored, write_keys


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A table file with keys and a stored night beside it."""
    (tmp_path / "journals").mkdir()
    stored(tmp_path / "journals")
    write_keys(tmp_path / "keys")
    return small_table(tmp_path, site=SITE, table=TAB_SHIELDED.table)

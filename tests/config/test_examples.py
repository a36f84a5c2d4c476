"""The examples in config/ are good table files, and their games have profiles."""

from pathlib import Path

import pytest

from pitwarden.cli.table_file import refusals
from pitwarden.config.load import load
from pitwarden.judge.setup import setup_of
from pitwarden.rules.profile_file import NAMES

EXAMPLES = sorted((Path(__file__).parents[2] / "config").glob("*.toml"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_an_example_is_a_table_file(file: Path) -> None:
    table = load(file, refusals(), {})
    assert setup_of(table).profile.name == table.table.game == file.stem
    assert not table.table.simulated


def test_there_is_one_for_each_game() -> None:
    assert [file.stem for file in EXAMPLES] == sorted(NAMES)

"""Every doubtful sentence has its reading, and each reading lives where the table says."""

from collections.abc import Mapping
from importlib.resources import files

import pytest
from pydantic import BaseModel

from pitwarden.config.models import RulesSection, TableSection
from pitwarden.rules import ProfileError, load_profile
from pitwarden.rules.profile.clauses import TextReading, load_readings, parse_readings
from pitwarden.rules.profile.library import load_library

SECTIONS: Mapping[str, type[BaseModel]] = {"rules": RulesSection, "table": TableSection}
PROFILES = {game: load_profile(one.name, one.decks) for game, one in load_library().games.items()}


def test_readings_are_numbered_without_a_gap() -> None:
    idents = [one.ident for one in load_readings()]
    assert idents == [f"C-{number:02}" for number in range(1, len(idents) + 1)]


@pytest.mark.parametrize("reading", load_readings(), ids=lambda one: one.ident)
def test_a_reading_lives_where_it_says(reading: TextReading) -> None:
    for key in reading.switches:
        section, _, name = key.partition(".")
        assert name in SECTIONS[section].model_fields, f"{key} is no key of the table file"
    for row in reading.rows:
        game, _, name = row.partition(".")
        assert PROFILES[game].rule(name), f"{game} has no row {name}"
    if reading.code:
        at = files("pitwarden.rules").joinpath(*reading.code.split("/"))
        assert at.is_file() or at.is_dir()


def test_what_a_switch_is_for_stands_in_the_rules_section() -> None:
    switches = {key for one in load_readings() for key in one.switches}
    assert len(switches) > 10
    assert all(key.count(".") == 1 for key in switches)


def test_a_reading_that_lives_nowhere_is_refused() -> None:
    with pytest.raises(ProfileError, match=r"x.toml: readings.C-01.reason: nothing says where"):
        parse_readings("x.toml", '[C-01]\ntext = "a"\nreading = "b"\n')

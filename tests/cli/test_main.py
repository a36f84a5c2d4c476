"""Each command is loaded by its own name alone, a former name by the new one."""

import pytest

from pitwarden.cli.main import FORMER, OURS, find_commands


@pytest.mark.parametrize("name", OURS)
def test_a_command_is_found_by_its_name_without_the_others(name: str) -> None:
    assert [one.name for one in find_commands(name)] == [name]


def test_former_names_lead_to_commands_that_exist() -> None:
    assert set(FORMER.values()) <= set(OURS)
    assert set(FORMER).isdisjoint(OURS)

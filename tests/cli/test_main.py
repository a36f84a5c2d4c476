"""Each command is loaded by its own name alone, a former name by the new one."""

import pytest

from pitwarden.cli import main as main_module
from pitwarden.cli.main import BY_ROLE, FORMER, OURS, find_commands


@pytest.mark.parametrize("name", OURS)
def test_a_command_is_found_by_its_name_without_the_others(name: str) -> None:
    assert [one.name for one in find_commands(name)] == [name]


def test_former_names_lead_to_commands_that_exist() -> None:
    assert set(FORMER.values()) <= set(OURS)
    assert set(FORMER).isdisjoint(OURS)


@pytest.mark.parametrize("name", sorted({name for names in BY_ROLE.values() for name in names} - set(OURS)))
def test_a_command_whose_package_is_missing_names_the_package(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main_module, "entry_points", lambda *, group: ())  # noqa: ARG005  as importlib's
    assert main_module.main([name, "--help"]) == 2
    assert f"{name}: is a command of the package pitwarden-simulators" in capsys.readouterr().err


def test_a_misspelt_command_is_answered_with_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main_module.main(["docter"])
    assert ended.value.code == 2
    assert "doctor" in capsys.readouterr().err

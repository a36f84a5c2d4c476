"""The examples in config/ are good table files, and their games have profiles."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.cli.table_file import external_checks
from pitwarden.config.loading import load_table_file
from pitwarden.judge.table_setup import build_table_setup
from pitwarden.rules.profile.library import NAMES
from testkit.tables.shipped_examples import attested_example

EXAMPLES = sorted((Path(__file__).parents[2] / "config").glob("*.toml"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_an_example_is_a_table_file(file: Path, tmp_path: Path) -> None:
    table = load_table_file(attested_example(file.stem, tmp_path), external_checks(), {})
    assert build_table_setup(table).profile.name == table.table.game == file.stem
    assert not table.table.simulated


def test_an_example_is_refused_until_a_person_attests(capsys: pytest.CaptureFixture[str]) -> None:
    """A simulated table needs no person: nobody plays at it."""
    assert main(["check-config", "--quiet", str(EXAMPLES[-1])]) == 78
    said = capsys.readouterr().err
    assert "attestations.G-05.by: is the example's placeholder: write the name of the person" in said
    assert said.count("\n") == EXAMPLES[-1].read_text().count("A. Example")


@pytest.mark.parametrize(
    "mapped", sorted((Path(__file__).parents[2] / "config/maps").glob("*.toml")), ids=lambda f: f.stem
)
def test_a_table_file_may_name_an_example_map_as_a_driver(mapped: Path, tmp_path: Path) -> None:
    family = "shuffler" if "shuffler" in mapped.stem else "shoe"
    device = f'[devices.{family}9]\nfamily = "{family}"\ndriver = "map:{mapped}"\nserial = "X-9"\nprocedure = "IC-9"\n'
    file = attested_example(EXAMPLES[0].stem, tmp_path)
    file.write_text(f'{file.read_text()}\n{device}port = "/dev/serial/by-id/x"\n')
    assert load_table_file(file, external_checks(), {}).devices[f"{family}9"].driver == f"map:{mapped}"


def test_there_is_one_for_each_game() -> None:
    assert [file.stem for file in EXAMPLES] == sorted(NAMES)

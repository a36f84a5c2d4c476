"""Every example of the rules catalogue that is not about wagers and pay is played by a scenario."""

from pathlib import Path
from typing import Final

import pytest

from pitwarden.rules.profile.clauses import load_clauses
from pitwarden.scenario import parse_scenario
from pitwarden.scenario.report import files_in

HERE = Path(__file__).parent


def numbered(game: str, *numbers: int) -> list[str]:
    return [f"{game}-{number:02}" for number in numbers]


# Clauses whose example no scenario plays: those about wagers and pay, whose examples tests/outcomes plays, those that
# are decided before a table opens, and those without an example of their own. The set may only shrink.
WITHOUT_EXAMPLE: Final = {
    *numbered("G", 5, 8, 11, 14, 16),
    *numbered("TAB", 12, 18, 24, 26, 27, *range(30, 36), 50, 51),
    *numbered("DAB", 1, 2, 3, 4, 9, 12, 13, 14),
    *numbered("CB", 12, 19, 25, 26, *range(29, 35), 40),
    *numbered("IB", 1, 6, 7, 8, 10),
    *numbered("SH", 10, 12, 13, 19, 20, 22, 25, 26),
    *numbered("CR", *range(1, 9)),
}

PRECEDENCE: Final = (*(f"A9-{item}" for item in range(1, 20)), *(f"A9-{pair}" for pair in "abcde"))
"""The items of A9 and its worked pairs."""

CLAUSES: Final = {clause.ident for clause in load_clauses()}
EXAMPLES: Final = {*(CLAUSES - WITHOUT_EXAMPLE), *PRECEDENCE}


@pytest.fixture(scope="module")
def played() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in files_in(HERE):
        for example in parse_scenario(file.read_text(encoding="utf-8"), file.name).header.example:
            found.setdefault(example, []).append(file.stem)
    return found


@pytest.mark.parametrize("example", sorted(EXAMPLES))
def test_every_example_is_played(example: str, played: dict[str, list[str]]) -> None:
    assert played.get(example), f"no scenario says `example: {example}`"


def test_no_file_names_an_example_that_there_is_not(played: dict[str, list[str]]) -> None:
    assert set(played) == EXAMPLES


def test_only_clauses_are_without_an_example() -> None:
    assert WITHOUT_EXAMPLE <= CLAUSES

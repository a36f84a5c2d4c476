"""Every example of the rules catalogue that is not about wagers and pay is played by a scenario; how many there are."""

from pathlib import Path
from typing import Final

import pytest

from pitwarden.scenario import parse
from pitwarden.scenario.coverage import files_in

HERE = Path(__file__).parent


def numbered(game: str, *numbers: int) -> list[str]:
    return [f"{game}-{number:02}" for number in numbers]


INLINE: Final = (
    *numbered("G", 1, 2, 3, 4, 6, 7, 9, 10, 13, 15, 17, 18, 20, 22),
    *numbered("TAB", *range(1, 12), *range(13, 18), 19, 20, 22, 23, 25, *range(36, 50), 52, 53),
    *numbered("DAB", 5, 8, 15, 18, 20),
    *numbered("CB", 1, 3, 4, 6, 8, 11, 14, 15, 16, 17, 24, 35, 36, 37, 38, 39),
    *numbered("IB", 2, 5),
    *numbered("SH", 1, 8, 9, 14, 16, 17, 18, 24),
)
"""Entries of A1 to A6 with an example of their own."""

LISTED: Final = (
    *numbered("G", 12, 19, 21),
    *numbered("TAB", 21, 28, 29),
    *numbered("DAB", 6, 7, 10, 11, 16, 17, 19, *range(21, 28)),
    *numbered("CB", 2, 5, 7, 9, 10, 13, 18, 20, 21, 22, 23, 27, 28),
    *numbered("IB", 3, 4, 9),
    *numbered("SH", 2, 3, 4, 5, 6, 7, 11, 15, 21, 23),
)
"""Entries whose example stands in A10."""

PRECEDENCE: Final = (*(f"A9-{item}" for item in range(1, 20)), *(f"A9-{pair}" for pair in "abcde"))
"""The items of A9 and its worked pairs."""

EXAMPLES: Final = (*INLINE, *LISTED, *PRECEDENCE)
# G-08 and IB-01 speak of games that no profile describes (big baccarat, one deck): tests/rules/test_fitness.py.


@pytest.fixture(scope="module")
def played() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in files_in(HERE):
        for example in parse(file.read_text(encoding="utf-8"), file.name).header.example:
            found.setdefault(example, []).append(file.stem)
    return found


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_played(example: str, played: dict[str, list[str]]) -> None:
    assert played.get(example), f"no scenario says `example: {example}`"


def test_how_many_examples_there_are_and_that_no_file_names_another(played: dict[str, list[str]]) -> None:
    assert (len(INLINE), len(LISTED), len(PRECEDENCE)) == (82, 46, 24)
    assert len(set(EXAMPLES)) == len(EXAMPLES) == 152
    assert set(EXAMPLES) <= set(played)

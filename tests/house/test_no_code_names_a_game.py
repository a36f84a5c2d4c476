"""No code of the product names a game: what games differ in stands in their profiles and in the list of games."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwarden.rules.profile.game_lists import load_lists
from pitwarden.rules.profile.library import NAMES, default_decks, load_profile

ROOT = Path(__file__).parents[2]
FOLDERS = ("client", "daemon", "drivers")
PROFILES = [load_profile(name, default_decks(name)) for name in NAMES]
LISTED = {game for one in load_lists().listed.values() for game in one.games if "-" in game}
GAMES = {*NAMES, *LISTED, *(one.game for one in PROFILES), *(one.title for one in PROFILES)}
"""Names with a hyphen, short names and titles; a listed game of one plain word (`poker`) is an English word too."""


def literals(text: str) -> Iterator[tuple[int, str]]:
    """Yield the string literals of a module with their lines; docstrings are prose about the texts and are left out."""
    tree = ast.parse(text)
    prose = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for one in ast.walk(tree):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in prose:
            yield one.lineno, one.value


def games_in(text: str) -> list[str]:
    return [
        f"{line}: {game}"
        for line, word in literals(text)
        for game in sorted(GAMES)
        if re.search(rf"(?<![\w-]){re.escape(game)}(?![\w-])", word)
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_string_of_the_code_is_the_name_of_a_game(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    named = {str(file.relative_to(ROOT)): games_in(file.read_text()) for file in files}
    assert {file: found for file, found in named.items() if found} == {}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('if game == "three-card-blitz":\n    pass\n', ["1: three-card-blitz"]),
        ('KNOWN = {\n    "CB": 1}\n', ["2: CB"]),
        ('"""3 Card Blitz, by the text."""\n', []),
        ('reason = f"{title} is no Switch Hands"\n', ["1: Switch Hands"]),
        ('file = "blitz_round"\n', []),
    ],
)
def test_a_game_is_found_where_code_names_it(code: str, found: list[str]) -> None:
    assert games_in(code) == found

"""The page from clauses to code names the files and functions that decide each clause."""

import re
from pathlib import Path

from _generate.checks import FILE, checks_page
from pitwarden.rules.profile.clauses import load_clauses

ROOT = Path(__file__).parents[2]


def test_the_page_of_checks_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == checks_page(), "run: PYTHONPATH=docs python -m _generate.checks"


def test_each_clause_has_a_row_with_a_place_or_a_reason() -> None:
    rows = dict(re.findall(r"^\| `([A-Z]+-\d+\w*)` \| [^|]+ \| (.+) \|$", checks_page(), re.MULTILINE))
    assert sorted(rows) == sorted(one.ident for one in load_clauses())


def test_each_file_and_function_exists() -> None:
    places = re.findall(r"`(daemon/[^`]+\.py)`((?: `\w+`,?)*)", checks_page())
    assert len(places) > 200
    for path, functions in places:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert all(f"def {name}(" in text for name in re.findall(r"\w+", functions)), path

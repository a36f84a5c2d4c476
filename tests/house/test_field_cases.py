"""The list of field cases names tests and campaign kinds that are there."""

import re
from pathlib import Path

from pitwarden_tools.campaign.schedule import KINDS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "tests" / "field_cases.md").read_text()


def test_every_named_test_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)
    assert len(named) == TEXT.count("::test_")
    gone = [(file, test) for file, test in named if f"def {test}(" not in (ROOT / file).read_text()]
    assert not gone


def test_every_named_scenario_is_there() -> None:
    named = re.findall(r"`(tests/scenarios/[\w/-]+\.scn)`", TEXT)
    assert len(named) == TEXT.count(".scn`")
    assert [file for file in named if not (ROOT / file).is_file()] == []


def test_every_named_kind_is_there() -> None:
    known = {kind.name for kind in KINDS}
    lists = re.findall(r"campaign kinds? ((?:`\w+`(?:, )?)+)", TEXT)
    assert lists
    for listed in lists:
        assert set(re.findall(r"`(\w+)`", listed)) <= known


def test_every_case_of_software_is_there() -> None:
    listed = re.findall(r"^\| (B\d\d) \|", TEXT, re.MULTILINE)
    assert listed
    assert listed == [f"B{number:02}" for number in range(1, len(listed) + 1)]

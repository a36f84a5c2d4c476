"""The front matter of the repository: its links lead somewhere, and each change is named in its section."""

import re
from pathlib import Path

import pytest

from pitwarden.rules import RULES_VERSION

ROOT = Path(__file__).parents[2]
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "changes/README.md")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
# Written by `./run docs` from the code; `docs/_generate` has what they are made from.
GENERATED = ("docs/reference/",)
FRAGMENT = re.compile(r"[a-z0-9-]+\.(added|changed|deprecated|removed|fixed|security|verdicts)\.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    place = (ROOT / page).parent
    linked = [(place / target).resolve() for target in LINK.findall((ROOT / page).read_text())]
    missing = [str(path.relative_to(ROOT)) for path in linked if not path.exists()]
    assert [path for path in missing if not path.startswith(GENERATED)] == []


def test_the_two_commands_are_there() -> None:
    text = (ROOT / "README.md").read_text()
    assert "./run demo" in text
    assert "./run tests" in text
    assert (ROOT / "run").stat().st_mode & 0o111


def test_each_change_fragment_names_its_section() -> None:
    names = [path.name for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    assert [name for name in names if not FRAGMENT.fullmatch(name)] == []


def test_the_changelog_names_the_rules_version_in_force() -> None:
    told = "".join(path.read_text() for path in (ROOT / "changes").glob("*.verdicts.md"))
    assert RULES_VERSION in (ROOT / "CHANGELOG.md").read_text() + told

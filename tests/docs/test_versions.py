"""The page on versions states the numbers that are in force."""

import re
import tomllib

import pytest

from pitwarden.journal.database import SCHEMA_VERSION as JOURNAL_LAYOUT
from pitwarden_client.events.envelope import SCHEMA_VERSION
from pitwarden_drivers.tdp.frames_host import VERSION
from testkit.documents.page_blocks import ROOT

PAGE = (ROOT / "docs" / "reference" / "versions.md").read_text(encoding="utf-8")
PACKAGE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


@pytest.mark.parametrize(
    ("stated", "in_force"),
    [
        (r"^## Package version, now (\S+)$", PACKAGE),
        (r"^## Schema version, now (\S+)$", SCHEMA_VERSION),
        (r"^## TDP version, now (\S+)$", str(VERSION)),
        (r"^\| journal layout \| (\d+) \|", str(JOURNAL_LAYOUT)),
    ],
)
def test_a_stated_version_is_the_one_in_force(stated: str, in_force: str) -> None:
    assert re.findall(stated, PAGE, re.MULTILINE) == [in_force]

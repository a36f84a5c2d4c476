"""The page of published incidents, each with the tests and scenarios that play it."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from _generate.markdown import anchor, escape, page

CASES: Final = Path(__file__).with_name("field_cases.toml")
TESTS: Final = Path(__file__).parents[2] / "tests"
_ROW: Final = re.compile(r"^\| ([AB]\d+) \| (.+?) \| (.+?) \| (.*?) ?\|$", re.MULTILINE)


def cases() -> Mapping[str, Mapping[str, str]]:
    """Return what happened in each case, by its number."""
    return tomllib.loads(CASES.read_text(encoding="utf-8"))


def played() -> dict[str, tuple[str, str, str]]:
    """Return for each case its title, the tests that play it, and what differs, from the list of the tests."""
    text = (TESTS / "field_cases.md").read_text(encoding="utf-8")
    return {row[1]: (row[2], row[3], row[4]) for row in _ROW.finditer(text)}


def field_cases() -> str:
    """Return the page of published incidents."""
    tests = played()
    parts = [
        (
            "What went wrong for others, and how pitwarden is tested against it. A1 to A8 come from enforcement and "
            "field reports of casinos, B01 and on from public issue threads of software for devices and brokers, in "
            "our own words. An issue is what a reporter or a maintainer said; not every cause was confirmed."
        ),
    ]
    for number, case in cases().items():
        title, by, note = tests.get(number, (case.get("title", ""), "", ""))
        parts += [
            anchor(f"case-{number}"),
            f"## {number} {escape(case.get('title', title))}",
            f"**Happened.** {_words(case['happened'])}",
        ]
        parts.append(f"**Required.** {_words(case['must'])}")
        scenarios = [f"`tests/scenarios/incidents/{file.name}`" for file in incidents(number)]
        parts.append(f"**Played by.** {by or ', '.join(scenarios) or 'no test'}")
        if note.strip():
            parts.append(f"**Difference.** {_words(note)}")
        if "source" in case:
            parts.append(f"**Source.** {_words(case['source'])}")
    return page("Published incidents", *parts)


def incidents(number: str) -> list[Path]:
    """Return the scenarios of a case, by their file names."""
    return sorted((TESTS / "scenarios" / "incidents").glob(f"{number}-*.scn"))


def _words(text: str) -> str:
    made = text if "`" in text else escape(text)
    made = made.strip()
    return made[0].upper() + made[1:] + ("" if made.endswith((".", ")")) else ".")

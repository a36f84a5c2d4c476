"""The catalogue has an entry with the cite of each clause, and digests that can be compared with the texts."""

import hashlib
import re
from pathlib import Path

import pytest

from _generate.digests import CATALOGUE, differences, digest, listed, paragraphs
from pitwarden.rules.profile.clauses import Clause, LawDigest, load_clauses
from pitwarden.rules.profile.texts import catalogued_texts, load_texts

TEXT = """\
# 13:69F-36.14 Irregularities

- **(a)** A card found
turned   up.
- 1. First;
  - i. below it;
(b) Another.
- (k) The one before;
- (1) and the letter that the scan reads as a number.
"""


def test_a_paragraph_includes_its_subparagraphs() -> None:
    found = paragraphs(TEXT)
    assert found["F-36.14(a)"] == "(a) A card found turned up. 1. First; i. below it;"
    assert found["F-36.14(a)1"] == "1. First; i. below it;"
    assert found["F-36.14(a)1.i"] == "i. below it;"
    assert found["F-36.14(b)"] == "(b) Another."
    assert found["F-36.14(l)"].startswith("(1) and")


def test_every_clause_has_its_entry_and_cite() -> None:
    text = CATALOGUE.read_text(encoding="utf-8")
    assert [one.ident for one in load_clauses() if f"\n### {one.ident}: {one.cite}\n" not in text] == []
    assert len(re.findall(r"^### [A-Z]+-\d\d: ", text, re.MULTILINE)) == len(load_clauses())


def test_an_entry_has_a_digest_or_says_why_not() -> None:
    entries = re.split(r"^### (?=[A-Z]+-\d\d: )", CATALOGUE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert [one.partition("\n")[0] for one in entries if "SHA-256 of" not in one and "No digest:" not in one] == []
    assert len(list(listed())) > 200


def test_each_clause_names_the_digests_of_its_entry() -> None:
    entries = re.split(r"^### (?=[A-Z]+-\d\d: )", CATALOGUE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    in_entry = {
        one.partition(":")[0]: re.findall(r"SHA-256 of `(\S+)` in `(\S+)`: `([0-9a-f]{64})`", one) for one in entries
    }
    of_clause = {one.ident: [(law.place, law.file, law.sha256) for law in one.law] for one in load_clauses()}
    assert of_clause == in_entry


def test_each_text_of_the_catalogue_says_when_it_was_compared_and_when_it_is_in_force() -> None:
    sources = (CATALOGUE.parent / "regulations.md").read_text(encoding="utf-8")
    for one in load_texts().values():
        assert f"| `{one.file}` | {one.title} | {one.edition}; {one.in_force} | " in sources


def test_other_words_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = tmp_path / "catalogue.md"
    words = paragraphs(TEXT)["F-36.14(b)"]
    catalogue.write_text(
        f"SHA-256 of `F-36.14(b)` in `text.txt`: `{digest(words)}`\n"
        f"SHA-256 of `F-36.14(a)` in `text.txt`: `{hashlib.sha256(b'else').hexdigest()}`\n"
        f"SHA-256 of `F-36.14(z)` in `text.txt`: `{'0' * 64}`\n"
    )
    (tmp_path / "text.txt").write_text(TEXT)
    monkeypatch.setattr("_generate.digests.CATALOGUE", catalogue)
    named = {"text.txt": frozenset({"13:69F-36.14", "13:69F-36.14(a)1.i", "13:69F-36.14(y)"})}
    monkeypatch.setattr("_generate.digests.catalogued_texts", lambda: named)
    law = (LawDigest("text.txt", "F-36.14(b)", digest(words)), LawDigest("text.txt", "F-36.14(a)", "0" * 64))
    clause = Clause("TAB-36", "V", "13:69F-36.14(a)", "a", law=law)
    monkeypatch.setattr("_generate.digests.load_clauses", lambda: (clause,))
    assert list(differences(tmp_path)) == [
        "text.txt: F-36.14(a) has other words",
        "text.txt: F-36.14(z) is missing",
        "text.txt: TAB-36 was read from other words of F-36.14(a)",
        "text.txt: 13:69F-36.14(y) is missing, and texts.toml names it",
    ]


def test_every_paragraph_of_the_catalogue_is_in_the_list_of_texts() -> None:
    named = catalogued_texts()
    assert [one for one in listed() if f"13:69{one.place}" not in named[one.file]] == []
    sources = (CATALOGUE.parent / "regulations.md").read_text(encoding="utf-8")
    assert [file for file in named if f"| `{file}` |" not in sources] == []


def test_the_first_section_of_a_subchapter_follows_its_heading_in_one_line() -> None:
    assert paragraphs("**SUBCHAPTER 1. CRAPS****19:47-1.1 Definitions**\nWords.\n") == {"F-1.1": "Words."}

"""A row rests on a text only where the text is in our sources: the catalogued paragraphs, and what is refused."""

from importlib.resources import files

import pytest

from pitwarden.rules import ProfileError, load_profile
from pitwarden.rules.profile.clauses import parse_clauses
from pitwarden.rules.profile.library import NAMES, default_decks
from pitwarden.rules.profile.loading import parse_profile
from pitwarden.rules.profile.texts import is_catalogued, parse_texts

STUD = (files("pitwarden.rules.profile") / "data" / "profiles" / "mississippi-stud.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_each_text_that_a_profile_rests_on_is_catalogued(name: str) -> None:
    rows = [rule for rule in load_profile(name, default_decks(name)).rules if rule.basis == "text"]
    assert [(rule.key, cite) for rule in rows for cite in rule.cites if not is_catalogued(cite)] == []


@pytest.mark.parametrize(
    ("cite", "known"),
    [
        ("13:69F-36.14(a)", True),
        ("19:47-36.14(a)", True),  # the former number of the same paragraph
        ("13:69E-1.17", True),
        ("19:46-1.10(r)", True),
        ("13:69F-36.5(d) 1st", True),
        ("13:69F-51.10(e)2", True),
        ("13:69F-51.10(e)9", False),
        ("13:69F-35.9(c)", False),  # known from public excerpts alone
        ("13:69F-51.99", False),
        ("by analogy with 13:69F-51.7(e)2", False),
    ],
)
def test_a_cite_is_catalogued_by_either_number_of_its_chapter(cite: str, *, known: bool) -> None:
    assert is_catalogued(cite) is known


def test_a_row_cannot_claim_a_text_that_is_not_in_our_sources() -> None:
    old = 'cites = ["13:69F-35.9(e)"]\nbasis = "default"'
    assert old in STUD
    with pytest.raises(ProfileError) as refused:
        parse_profile("stud.toml", STUD.replace(old, old.replace("default", "text")))
    assert str(refused.value) == (
        "stud.toml: rules.stub_auto_shoe.basis: the text of 13:69F-35.9(e) is not in our sources: "
        "a row that cites it has another basis, such as analogy"
    )


HEAD = 'file = "a.txt"\ntitle = "t"\nedition = "e"\nread = 2026-11-30\n'


@pytest.mark.parametrize(
    ("dates", "in_force"),
    [
        ("", "the text states no date"),
        ("since = 2001-03-09\n", "in force since 2001-03-09"),
        ("since = 2001-03-09\nuntil = 2006-03-09\n", "in force since 2001-03-09, expires on 2006-03-09"),
    ],
)
def test_a_text_says_when_it_is_in_force(dates: str, in_force: str) -> None:
    (one,) = parse_texts(f"[[texts]]\n{HEAD}{dates}[texts.sections]\n").values()
    assert one.in_force == in_force


@pytest.mark.parametrize(
    "line",
    ["until = 2006", "since = 2001-03-09T00:00:00", 'since = "2001-03-09"'],
)
def test_a_date_is_a_date(line: str) -> None:
    name = line.partition(" ")[0]
    with pytest.raises(ProfileError, match=rf"^texts.toml: texts\[0\].{name}: a date is missing here"):
        parse_texts(f"[[texts]]\n{HEAD}{line}\n[texts.sections]\n")


DIGEST = "0" * 64


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("", "law: name what was read, or in 'unread' why there is nothing"),
        (f'law = ["triple-attack-blackjack.txt F-36.2(a) {DIGEST}"]\nunread = "no"', "law: name what was read"),
        ('law = ["triple-attack-blackjack.txt F-36.2(a) 12"]', "law: 'triple-attack-blackjack.txt F-36.2(a) 12': name"),
        (
            f'law = ["triple-attack-blackjack.txt F-36.99 {DIGEST}"]',
            "law: triple-attack-blackjack.txt has no paragraph",
        ),
        (f'law = ["other.txt F-36.2(a) {DIGEST}"]', "law: other.txt has no paragraph F-36.2(a) in the list of texts"),
    ],
)
def test_a_clause_names_the_digests_of_what_it_was_read_from(lines: str, reason: str) -> None:
    with pytest.raises(ProfileError) as refused:
        parse_clauses("c.toml", f'[TAB-01]\nkind = "N"\ncite = "13:69F-36.2(a)"\nabout = "a"\n{lines}\n')
    assert str(refused.value).startswith(f"c.toml: clauses.TAB-01.{reason}")


@pytest.mark.parametrize(
    ("sections", "reason"),
    [
        ('"51.1" = []', "texts[0].sections.51.1: a section is named by chapter and number, as 13:69F-36.14"),
        ('"13:69F-51.1" = ["(a)", "(a)"]', "texts[0].sections.13:69F-51.1: a paragraph is named twice"),
        (f'"13:69F-51.1" = []\n[[texts]]\n{HEAD}sections = {{}}\nhue = 1', "texts[1].hue: no such row"),
        ('"13:69F-51.1" = []\n[other]', "other: no such row is known here"),
    ],
)
def test_a_wrong_list_of_texts_is_refused_by_row(sections: str, reason: str) -> None:
    with pytest.raises(ProfileError) as refused:
        parse_texts(f"[[texts]]\n{HEAD}[texts.sections]\n{sections}\n")
    assert str(refused.value).startswith(f"texts.toml: {reason}")

"""The floor's page on clearing agrees with what the scenarios show, with the lamps and with the prepared inputs."""

import re

import pytest

from _generate.clearing import FILE, clearing_page, played_scenarios
from pitwarden.rules.profile.facts import WORDS, fact_words
from pitwarden.watch.session import CLEARING_INPUTS
from pitwarden_client.events.keypad import CLEARING_KEYS

PAGE = FILE.read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (.+?) \| (.+?) \|", PAGE.split("\n## ")[1], re.MULTILINE))
WORDED = {str(kind): fact_words(kind, "...") for kind in WORDS}
HOW = {kind: ROWS.get(words, "") for kind, words in WORDED.items()}


def steps_with(words: str) -> list[list[str]]:
    """Return the steps of the page's cases that have this condition among their alternatives."""
    cases = re.findall(r"^\| .+? \| [A-Z_ ]+ \| .+ \| (.+?) \|$", PAGE, re.MULTILINE)
    steps = [re.split(r" or (?!a replacement)", step) for case in cases for step in case.split("; then ")]
    return [step for step in steps if words in step]


def test_each_condition_that_a_person_is_told_has_a_row() -> None:
    assert [kind for kind, how in HOW.items() if not how] == []


@pytest.mark.parametrize("kind", sorted(CLEARING_INPUTS))
def test_the_input_that_the_screen_prepares_completes_each_step_with_the_condition(kind: str) -> None:
    act = CLEARING_INPUTS[kind].partition(" ")[0]
    steps = steps_with(WORDED[kind])
    assert steps
    assert [step for step in steps if not any(act in ROWS[words] for words in step)] == []


@pytest.mark.parametrize("kind", sorted(set(CLEARING_KEYS) & set(HOW)))
def test_the_key_that_the_lamps_light_does_clear(kind: str) -> None:
    key = CLEARING_KEYS[kind]
    assert ("a device reports" in HOW[kind]) if key is None else (key.replace("_", " ").upper() in HOW[kind])


@pytest.mark.full
@pytest.mark.timeout(600)
def test_the_page_is_what_the_scenarios_show() -> None:
    page = clearing_page(played_scenarios())
    assert FILE.read_text(encoding="utf-8") == page, "run: PYTHONPATH=docs python -m _generate.clearing"

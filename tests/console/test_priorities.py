"""Priorities are data: every verdict word has one, the most urgent word decides, and an exception has a reason."""

from pathlib import Path
from typing import get_args

import pytest

from pitwarden_client.events.outputs import Verdict
from pitwarden_console.errors import ConsoleSettingsError
from pitwarden_console.priorities import load_priorities

STANDARD = load_priorities()


def test_every_verdict_word_has_a_priority() -> None:
    assert set(STANDARD.file.verdicts) == set(get_args(Verdict))


def test_the_most_urgent_word_decides() -> None:
    assert STANDARD.of_irregularity("TAB-37", ("DESTROY", "HOLD")) == 1
    assert STANDARD.of_irregularity("CB-38", ("SHUFFLE", "ALERT")) == 2
    assert STANDARD.of_irregularity("CB-1", ("ALERT",)) == 3
    assert STANDARD.of_irregularity("X-1", ()) == 3
    assert (STANDARD.of_duty("CB-14", "overdue"), STANDARD.of_duty("CB-14", "due")) == (2, 3)


def test_an_exception_takes_the_place_of_the_words(tmp_path: Path) -> None:
    file = tmp_path / "priorities.toml"
    file.write_text(_standard() + '"TAB-37" = { priority = 2, why = "the house agreed so in May" }\n')
    made = load_priorities(file)
    assert made.of_irregularity("TAB-37", ("HOLD",)) == 2
    assert made.of_duty("TAB-37", "due") == 2


@pytest.mark.parametrize(
    "line", ['"TAB-37" = { priority = 4, why = "longer than ten" }', '"TAB-37" = { priority = 2, why = "" }']
)
def test_an_exception_without_reason_or_with_another_priority_is_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "priorities.toml"
    file.write_text(_standard() + line + "\n")
    with pytest.raises(ConsoleSettingsError, match="not a file of priorities"):
        load_priorities(file)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConsoleSettingsError, match=r"priorities\.toml: cannot be read"):
        load_priorities(tmp_path / "priorities.toml")


def _standard() -> str:
    return (Path(__file__).parents[2] / "console" / "pitwarden_console" / "priorities.toml").read_text()

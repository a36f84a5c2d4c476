"""A file that cannot be used is refused in the words of a person, by each command that names one."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.system.file_errors import file_reason
from testkit.tables.table_file import small_table


def test_reasons_have_no_numbers_of_errors() -> None:
    assert file_reason(FileNotFoundError(2, "No such file or directory", "a")) == "No such file or directory"
    assert file_reason(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid")) == "it is not UTF-8 text"
    assert file_reason(KeyError("sha256")) == "'sha256' is missing in it"
    assert file_reason(ValueError("no JSON")) == "no JSON"


@pytest.mark.parametrize(
    "words",
    [
        ["version", "--verify", "none"],
        ["capture", "replay", "none"],
        ["schema", "--against", "none"],
        ["journal", "restore", "--config", "table.toml", "--from", "none"],
        ["check-config", "none"],
        ["doctor", "none"],
        ["map", "test", "none"],
        ["driver", "install", "none"],
        ["setup", "ta01", "--answers", "none"],
        ["watch", "--profile", "none"],
    ],
)
def test_a_file_that_is_not_there_is_named_without_an_error_number(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["keys", str(small_table(tmp_path))]) == 0
    capsys.readouterr()
    assert main(words) in {1, 2, 78}
    said = capsys.readouterr()
    assert "none" in said.out + said.err
    assert "No such file or directory" in said.out + said.err
    assert "Errno" not in said.out + said.err

"""The console file is refused as a complete file: each problem has its place and its reason, exit code 78."""

from pathlib import Path

import pytest

from pitwarden_console.command import main
from pitwarden_console.errors import ConsoleSettingsError
from pitwarden_console.settings.loading import load_settings

VALID = """
[site]
name = "harbor"
title = "Harbor"
zone = "America/New_York"
gaming_day = "06:00"
[broker]
host = "broker.example"
port = 8883
username = "console"
password_file = "console.password"
ca = "ca.crt"
[[table]]
name = "ta01"
pit = "Pit A"
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "console.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_paths_are_next_to_the_file_and_defaults_are_safe(tmp_path: Path) -> None:
    made = load_settings(written(tmp_path, VALID))
    assert made.broker.password_file == tmp_path / "console.password"
    assert made.store_url == f"sqlite+aiosqlite:///{tmp_path}/console.sqlite"
    assert (made.file.web.host, made.file.web.hosts) == ("127.0.0.1", ("127.0.0.1", "localhost"))
    assert made.time.zone.key == "America/New_York"


def test_postgresql_takes_one_address(tmp_path: Path) -> None:
    text = VALID + '[store]\nurl = "postgresql://pit@db.example/console"\n'
    assert load_settings(written(tmp_path, text)).store_url == "postgresql+asyncpg://pit@db.example/console"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('zone = "America/New_York"', 'zone = "New York"', "site.zone: no time zone of this machine"),
        ('gaming_day = "06:00"', 'gaming_day = "6 am"', "site.gaming_day: String should match"),
        ("port = 8883", 'port = "8883"', "broker.port: Input should be a valid integer"),
        ("port = 8883", "port = 8883\nprot = 1", "broker.prot: unknown key"),
        ('name = "ta01"', 'name = "ta/01"', "table.0.name: String should match"),
        ('pit = "Pit A"', 'pit = "Pit A"\n[[table]]\nname = "ta01"\npit = "B"', "ta01 is listed twice"),
        ('pit = "Pit A"', 'pit = "Pit A"\n[store]\nurl = "mysql://x"', "store.url: write sqlite:FILE"),
        ('pit = "Pit A"', 'pit = "Pit A"\n[web]\nhosts = ["http://x"]', "web.hosts.0: no host name"),
        ('pit = "Pit A"', 'pit = "A/B"', "table.0.pit: String should match"),
        ("[site]", "[site", "not TOML"),
    ],
)
def test_a_problem_names_its_place_and_reason(tmp_path: Path, before: str, after: str, sentence: str) -> None:
    assert before in VALID
    with pytest.raises(ConsoleSettingsError) as refused:
        load_settings(written(tmp_path, VALID.replace(before, after)))
    assert f"{tmp_path}/console.toml: " in str(refused.value)
    assert sentence in str(refused.value)


def test_the_command_ends_with_78_and_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-config", "--config", str(tmp_path / "none.toml")]) == 78
    assert "none.toml: cannot be read: No such file or directory" in capsys.readouterr().err
    assert main(["check-config", "--config", str(written(tmp_path, VALID))]) == 0
    assert capsys.readouterr().out == "valid: site harbor, tables ta01\n"


def test_a_store_that_cannot_be_opened_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, VALID + '[store]\nurl = "sqlite:none/console.sqlite"\n')
    assert main(["rebuild", "--config", str(file)]) == 1
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith("pitwarden-console: the store at sqlite")
    assert "Check store.url" in told

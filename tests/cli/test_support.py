"""`pitwarden support`: one archive with what a vendor needs, in which no planted secret is found."""

import base64
import json
import stat
import tarfile
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.support.redaction import Redaction, secrets_of
from testkit.tables.shipped_examples import attested_text

PASSWORD = "correct horse battery"  # noqa: S105  planted, to be searched for
KEY = bytes(range(7, 39))
PERSON, NAME = "f-4711", "T. Tester"
LOG = f"""\
2026-05-01T20:00:00 input logged person={PERSON} act=ft.inspect witness="{PERSON} {NAME}"
2026-05-01T20:00:01 rejected payload={{\\"person\\": \\"{PERSON}\\", \\"by\\": \\"{NAME}\\"}}
2026-05-01T20:00:02 broken driver printed 10H and AS and JKR in full
2026-05-01T20:00:03 key {KEY.hex()} {KEY.hex().upper()} {base64.b64encode(KEY).decode()}
2026-05-01T20:00:04 connect mqtts://ta01:{PASSWORD.replace(" ", "")}@broker refused password="{PASSWORD}"
2026-05-01T20:00:05 -----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIPlantedPlantedPlanted
-----END PRIVATE KEY-----
2026-05-01T20:00:05 login of judge failed with {PASSWORD} as it was typed
2026-05-01T20:00:06 judge announced table=ta01 rows=52
"""
PLANTED = (
    PASSWORD, PASSWORD.replace(" ", ""), KEY.hex(), KEY.hex().upper(), base64.b64encode(KEY).decode(), "MC4CAQAw",
    "10H", "JKR", " AS ",
)  # fmt: skip


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a table file with keys and a password, on a machine whose journalctl prints the planted log."""
    keys, programs = tmp_path / "ta01.keys", tmp_path / "bin"
    keys.mkdir()
    (keys / "field.key").write_text(KEY.hex() + "\n")
    (keys / "field.key.pub").write_text("ab" * 32 + "\n")
    (keys / "broker.password").write_text(PASSWORD + "\n")
    programs.mkdir()
    (programs / "journalctl").write_text(f"#!/bin/sh\ncat <<'END'\n{LOG}END\n")
    (programs / "systemctl").write_text('#!/bin/sh\necho "StatusText=dealing permitted $2"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    journals = tmp_path / "journals"
    journals.mkdir()
    (journals / "field.sqlite").write_bytes(b"x" * 10)
    file = tmp_path / "ta01.toml"
    lines = []
    for line in attested_text("triple-attack-blackjack").splitlines():
        key = line.partition("=")[0].strip()
        changed = {"journals": f'journals = "{journals}"', "keys": f'keys = "{keys}"'}
        changed |= {"password_file": f'password_file = "{keys}/broker.password"'}
        lines.append(changed.get(key, line))
    file.write_text("\n".join(lines) + "\n")
    return file


def contents(archive: Path) -> dict[str, str]:
    with tarfile.open(archive) as opened:
        return {
            Path(one.name).name: content.read().decode()
            for one in opened.getmembers()
            if (content := opened.extractfile(one)) is not None
        }


def test_no_planted_secret_is_in_the_archive(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "bundle.tar.gz"
    assert main(["support", str(table), "--out", str(out)]) == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    parts = contents(out)
    assert set(parts) == {
        "README", "versions.txt", "configuration.json", "status.txt", "log.txt", "journals.txt", "doctor.json",
    }  # fmt: skip
    for name, text in parts.items():
        found = [one for one in (*PLANTED, PERSON, NAME) if one in text]
        assert not found, f"{name} contains {found}"
    assert "judge announced table=ta01 rows=52" in parts["log.txt"]
    assert "StatusText=dealing permitted pitwarden-*@ta01.service" in parts["status.txt"]
    assert "10  field.sqlite" in parts["journals.txt"]
    assert json.loads(parts["configuration.json"])["table"]["game"] == "triple-attack-blackjack"
    assert {"configuration", "clock"} <= {one["subject"] for one in json.loads(parts["doctor.json"])}
    assert "pydantic " in parts["versions.txt"]


def test_persons_are_in_it_when_asked_for(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "bundle.tar.gz"
    assert main(["support", str(table), "--out", str(out), "--persons"]) == 0
    parts = contents(out)
    assert f"person={PERSON}" in parts["log.txt"]
    assert NAME in parts["configuration.json"]
    assert not [one for one in PLANTED for text in parts.values() if one in text]


def test_a_table_file_that_is_refused_gives_an_archive_with_its_problems(table: Path, tmp_path: Path) -> None:
    table.write_text(table.read_text() + "\nnonsense = 1\n")
    out = tmp_path / "bundle.tar.gz"
    assert main(["support", str(table), "--out", str(out)]) == 78
    parts = contents(out)
    assert "nonsense" in parts["configuration.json"]
    assert not [one for one in PLANTED for text in parts.values() if one in text]


def test_secrets_of_halves_that_are_apart_are_found_too(table: Path, tmp_path: Path) -> None:
    keys, out = tmp_path / "ta01.keys", tmp_path / "bundle.tar.gz"
    (keys / "field").mkdir()
    for name in ("field.key", "broker.password"):
        (keys / name).rename(keys / "field" / name)
    table.write_text(table.read_text().replace("[storage]", '[storage]\nhalves = "apart"'))
    assert main(["support", str(table), "--out", str(out)]) == 0
    parts = contents(out)
    assert not [one for one in PLANTED for text in parts.values() if one in text]
    assert "account pw-ta01-field" in {one["subject"] for one in json.loads(parts["doctor.json"])}
    table.write_text(table.read_text() + "\nnonsense = 1\n")
    assert main(["support", str(table), "--out", str(tmp_path / "refused.tar.gz")]) == 78
    assert not [one for one in PLANTED for text in contents(tmp_path / "refused.tar.gz").values() if one in text]


def test_the_password_for_the_database_of_a_group_is_not_in_the_archive(table: Path, tmp_path: Path) -> None:
    (tmp_path / "ta01.keys" / "broker.password").write_text("another one\n")
    password, out = tmp_path / "elsewhere" / "database.password", tmp_path / "bundle.tar.gz"
    password.parent.mkdir()
    password.write_text(PASSWORD + "\n")
    group = f'addresses = ["{tmp_path}"]\nuser = "judge"\npassword_file = "{password}"'
    table.write_text(f"{table.read_text()}\n[judge_group]\n{group}\n")
    assert main(["support", str(table), "--out", str(out)]) == 0
    parts = contents(out)
    assert "judge_group" in parts["configuration.json"]
    assert not [one for one in PLANTED for text in parts.values() if one in text]


def test_an_archive_is_not_overwritten_and_a_folder_that_is_missing_is_named(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "bundle.tar.gz"
    out.write_text("mine")
    assert main(["support", str(table), "--out", str(out)]) == 1
    assert "exists already" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert main(["support", str(table), "--out", str(tmp_path / "none" / "b.tar.gz")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_a_machine_without_systemd_is_no_reason_to_have_no_archive(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    out = tmp_path / "bundle.tar.gz"
    assert main(["support", str(table), "--out", str(out)]) == 0
    assert contents(out)["log.txt"] == "journalctl: not installed"


def test_short_texts_and_missing_files_are_no_secrets(tmp_path: Path) -> None:
    (tmp_path / "short").write_text("table")
    redaction = Redaction(secrets_of([tmp_path / "short", tmp_path / "none"]))
    assert redaction.apply("the table is by the wall, off by 3 ms") == "the table is by the wall, off by 3 ms"
    assert repr(redaction) == "Redaction(3 secrets)"

"""A table file whose halves are apart: each half gets its part of what the file names, and no command mixes them."""

import os
import pwd
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.cli.table_file import external_checks, keys_of
from pitwarden.config.halves import account_of, journal_of, of_half
from pitwarden.config.loading import load_table_file, with_credentials
from pitwarden.config.models import TableFile
from pitwarden.doctor.accounts import check_accounts
from pitwarden.seal.keys import load_private, load_public, load_signing, load_verify_key, public_path
from pitwarden_client.events.topics import HALVES, Half
from testkit.tables.table_file import small_table

LOGIN = (
    'username = "ta01"\npassword_file = "keys/broker.password"\nca = "ca.crt"\ncert = "keys/ta01.crt"\n'
    'key = "keys/ta01.key"\n'
)
APART = '\n[metrics]\nsocket = "run/metrics"\n'


def apart_file(folder: Path) -> Path:
    file = small_table(folder, broker=LOGIN, more=APART)
    file.write_text(file.read_text().replace("[storage]", '[storage]\nhalves = "apart"'))
    for name in ("ca.crt", "keys/broker.password", "keys/ta01.crt", "keys/ta01.key"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    return file


def read(file: Path) -> TableFile:
    return load_table_file(file, external_checks(), {})


@pytest.mark.parametrize("half", HALVES)
def test_a_half_has_its_own_part_of_everything(tmp_path: Path, half: Half) -> None:
    whole = read(apart_file(tmp_path))
    mine = of_half(whole, half)
    assert mine.storage.journals == tmp_path / "journals" / half
    assert mine.storage.keys == tmp_path / "keys" / half
    assert journal_of(whole, half) == journal_of(mine, half) == tmp_path / "journals" / half / f"{half}.sqlite"
    broker = mine.broker
    assert (broker.username, broker.password_file) == (f"ta01-{half}", tmp_path / "keys" / half / "broker.password")
    assert (broker.cert, broker.key) == (tmp_path / "keys" / half / "ta01.crt", tmp_path / "keys" / half / "ta01.key")
    assert broker.ca == tmp_path / "ca.crt", "what is no secret of a half stays where it is"
    assert mine.metrics is not None
    assert mine.metrics.socket == tmp_path / "run" / half / "metrics"
    assert of_half(mine, half) == mine
    given = with_credentials(mine, Path("/run/credentials/x"))
    assert given.broker.password_file == Path("/run/credentials/x/keys_broker.password")
    assert account_of("ta01", half) == f"pw-ta01-{half}"


def test_halves_that_are_together_share_everything(tmp_path: Path) -> None:
    whole = read(small_table(tmp_path))
    assert of_half(whole, "field") is whole
    assert journal_of(whole, "judge") == tmp_path / "journals" / "judge.sqlite"


def test_without_login_and_metrics_there_is_nothing_to_divide(tmp_path: Path) -> None:
    file = small_table(tmp_path)
    file.write_text(file.read_text().replace("[storage]", '[storage]\nhalves = "apart"'))
    mine = of_half(read(file), "field")
    assert (mine.broker.username, mine.broker.password_file, mine.metrics) == (None, None, None)


def test_one_process_does_not_run_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = apart_file(tmp_path)
    assert main(["run", "--config", str(file)]) == 78
    assert 'storage.halves is "apart", so one process must not run both halves' in capsys.readouterr().err
    assert not (tmp_path / "journals").exists()


def test_keys_are_made_and_replaced_with_their_public_halves_beside_the_other(tmp_path: Path) -> None:
    file = apart_file(tmp_path)
    assert main(["keys", str(file)]) == 0
    keys = keys_of(read(file))
    assert (keys.field, keys.judge) == (tmp_path / "keys/field/field.key", tmp_path / "keys/judge/judge.key")
    for rotate in (None, "judge", "field"):
        if rotate is not None:
            assert main(["keys", str(file), "--rotate", rotate]) == 0
        beside_field, beside_judge = keys.field.parent / "judge.key", keys.judge.parent / "field.key"
        assert load_public(public_path(beside_field)) == load_private(keys.judge).public
        assert load_public(public_path(beside_judge)) == load_signing(keys.field).public
        assert load_verify_key(beside_field) == load_verify_key(keys.judge)
        assert not beside_field.exists()
        assert not beside_judge.exists()
    assert (keys.judge.parent / "field.key.pub.old-1").exists(), "what a replaced key signed stays verifiable"


def test_a_half_without_its_account_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_the_judge(name: str) -> object:
        if name == "pw-ta01-judge":
            return object()
        raise KeyError(name)

    monkeypatch.setattr(pwd, "getpwnam", only_the_judge)
    found = {one.subject: one for one in check_accounts("ta01", HALVES, apart=True)}
    assert (found["account pw-ta01-field"].level, found["account pw-ta01-judge"].level) == ("bad", "ok")
    assert found["account pw-ta01-field"].remedy.endswith("/etc/sysusers.d/pitwarden-ta01.conf; then: systemd-sysusers")
    [shared] = check_accounts("ta01", (), apart=False)
    assert "can read the judge's key" in shared.what
    assert list(check_accounts("ta01", ("field",), apart=False)) == [], "a half with a file of its own"


def test_doctor_examines_each_half_and_states_once_what_is_common(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = apart_file(tmp_path)
    main(["keys", str(file)])
    for half in HALVES:
        for name in ("broker.password", "ta01.crt", "ta01.key"):
            (tmp_path / "keys" / half / name).touch()
    capsys.readouterr()
    assert main(["doctor", str(file)]) == 1
    said = capsys.readouterr().out
    assert said.count("configuration: ") == 1
    assert "key field.key: readable by its owner alone" in said
    assert "key judge.key: readable by its owner alone" in said
    assert f"{tmp_path}/journals/field is not there" in said
    assert f"{tmp_path}/journals/judge is not there" in said
    assert main(["doctor", str(file), "--only", "judge"]) == 1
    assert "key field.key:" not in capsys.readouterr().out


def test_the_journals_of_both_halves_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = apart_file(tmp_path)
    main(["keys", str(file)])
    capsys.readouterr()
    assert main(["journal", "verify", "--config", str(file)]) == os.EX_CONFIG
    assert f"{tmp_path}/journals/field: holds neither field.sqlite nor judge.sqlite" in capsys.readouterr().err

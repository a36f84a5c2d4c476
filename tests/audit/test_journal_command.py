"""`pitwarden journal` and `pitwarden keys --rotate` as a person meets them."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.seal.keys import key_paths, load_private_keys, load_trusted_keys
from testkit.journals.sealed_rows import PRIVATE, SIGNER
from testkit.journals.stored_night import FIELD, JUDGE, file
from testkit.journals.tampering import change_bytes, tamper

__all__ = ["file"]


def test_verify_says_that_all_is_as_committed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["journal", "verify", "--config", str(file)]) == 0
    assert "as committed; " in capsys.readouterr().out


def test_verify_names_what_is_not(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tamper(file.parent / "journals" / FIELD, change_bytes)
    assert main(["journal", "verify", "--config", str(file)]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("row_changed at log row e1/40: ")
    assert "NOT as committed" in last


def test_one_half_alone_is_looked_at_and_said_to_be_alone(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file.parent / "journals" / JUDGE).unlink()
    assert main(["journal", "verify", "--config", str(file)]) == 0
    assert "only the other half was looked at" in capsys.readouterr().out


@pytest.mark.parametrize("harm", ["folder", "file", "key", "head"])
def test_what_cannot_be_read_is_a_sentence(harm: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["journal", "verify", "--config", str(file)]
    match harm:
        case "folder":
            words += ["--journals", str(file.parent / "nowhere")]
        case "file":
            (file.parent / "journals" / FIELD).write_bytes(b"no journal" * 500)
        case "key":
            (file.parent / "keys" / "field.key.pub").unlink()
        case _:
            (file.parent / "head").write_text("{}")
            words += ["--head", str(file.parent / "head")]
    assert main(words) == 78
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert str(file.parent) in said


@pytest.mark.parametrize("which", ["field", "judge"])
def test_a_rotated_key_still_serves_for_what_it_signed_or_opens(which: str, file: Path) -> None:
    files = key_paths(file.parent / "keys")
    assert main(["keys", str(file), "--rotate", which]) == 0
    trusted, private = load_trusted_keys(files.field), load_private_keys(files.judge)
    assert SIGNER.public in trusted
    assert PRIVATE.raw in [key.raw for key in private]
    assert (len(trusted), len(private)) == ((2, 1) if which == "field" else (1, 2))
    assert (trusted[0] != SIGNER.public) == (which == "field")
    assert (private[0].raw != PRIVATE.raw) == (which == "judge")
    kept = "".join(path.read_text() for path in files.field.parent.iterdir())
    assert (SIGNER.raw.hex() in kept) == (which == "judge"), "a signing key is not needed any more; what it signed is"
    assert main(["journal", "verify", "--config", str(file)]) == 0


def test_a_key_that_is_not_there_is_not_rotated(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file.parent / "keys" / "judge.key").unlink()
    assert main(["keys", str(file), "--rotate", "judge"]) == 78
    assert "cannot be read" in capsys.readouterr().err


def test_a_key_whose_public_half_is_gone_is_not_retired(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file.parent / "keys" / "field.key.pub").unlink()
    assert main(["keys", str(file), "--rotate", "field"]) == 78
    assert "cannot be retired" in capsys.readouterr().err
    assert (file.parent / "keys" / "field.key").exists()

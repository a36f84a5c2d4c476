"""`pitwarden version --verify`: a changed, a missing and an added file are each named."""

import hashlib
import sys
from pathlib import Path

import pytest

from pitwarden.cli.main import main


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace this interpreter's installation with a small one."""
    made = tmp_path / "installed"
    (made / "lib").mkdir(parents=True)
    for name in ("lib/one.py", "lib/two.py"):
        (made / name).write_text(name)
    monkeypatch.setattr(sys, "prefix", str(made))
    return made


def listed(prefix: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["version", "--hashes"]) == 0
    (prefix / "SHA256SUMS").write_text(capsys.readouterr().out)
    return str(prefix / "SHA256SUMS")


def test_an_untouched_installation_is_as_listed(prefix: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed(prefix, capsys)
    assert main(["version", "--verify"]) == 0
    assert "all 2 files are as" in capsys.readouterr().out


def test_each_file_that_differs_is_named(prefix: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = listed(prefix, capsys)
    (prefix / "lib" / "one.py").write_text("changed")
    (prefix / "lib" / "two.py").unlink()
    (prefix / "lib" / "three.py").write_text("added")
    assert main(["version", "--verify", kept]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "lib/one.py: changed", "lib/three.py: not in the list", "lib/two.py: missing",
    ]  # fmt: skip


def test_a_further_package_has_a_list_of_its_own_that_changes_none_of_the_service(
    prefix: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = listed(prefix, capsys)
    (prefix / "lib" / "simulated.py").write_text("simulated")
    assert main(["version", "--verify"]) == 1
    digest = hashlib.sha256(b"simulated").hexdigest()
    changed = hashlib.sha256(b"changed").hexdigest()
    (prefix / "SHA256SUMS.simulators").write_text(f"{digest}  lib/simulated.py\n{changed}  lib/one.py\n")
    capsys.readouterr()
    assert main(["version", "--verify"]) == 0
    assert "all 3 files are as" in capsys.readouterr().out
    (prefix / "lib" / "one.py").write_text("changed")
    assert main(["version", "--verify"]) == 1
    assert capsys.readouterr().out == "lib/one.py: changed\n"
    (prefix / "lib" / "one.py").write_text("lib/one.py")
    own = prefix.parent / "laboratory"
    own.write_text(Path(kept).read_text())
    assert main(["version", "--verify", str(own)]) == 1
    assert capsys.readouterr().out == "lib/simulated.py: not in the list\n"


@pytest.mark.parametrize("text", ["", "no hash here\n"])
def test_what_is_no_list_is_refused_with_a_sentence(
    text: str, prefix: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (prefix / "list").write_text(text)
    assert main(["version", "--verify", str(prefix / "list")]) == 1
    assert "pitwarden version --hashes" in capsys.readouterr().err

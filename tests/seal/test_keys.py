import stat
from pathlib import Path

import pytest

from pitwarden.seal.errors import KeyFileError
from pitwarden.seal.keys import (
    PrivateKey,
    derive_audit_key,
    derive_checkpoint_key,
    load_private,
    load_public,
    load_signing,
    load_verify_key,
    public_path,
    write_verify_key,
)


def test_a_created_key_is_private_and_stays_the_same(tmp_path: Path) -> None:
    for load, name in ((load_private, "judge.key"), (load_signing, "field.key")):
        path = tmp_path / name
        key = load(path, create=True)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert load(path, create=True) == load(path) == key
        assert load_public(public_path(path)) == key.public
        assert key.raw.hex() not in public_path(path).read_text()


def test_no_two_created_keys_are_equal(tmp_path: Path) -> None:
    assert load_private(tmp_path / "a", create=True) != load_private(tmp_path / "b", create=True)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601, 0o666])
def test_a_key_that_others_may_use_is_refused_with_the_remedy(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "judge.key"
    load_private(path, create=True)
    path.chmod(mode)
    with pytest.raises(KeyFileError, match=f"{path}: mode {mode:04o} .* Run: chmod 600 {path}"):
        load_private(path)


@pytest.mark.parametrize("held", ["", "ab" * 31, "ab" * 33, "AB" * 32, "zz" * 32, "ab" * 32 + "\n\n", "é" * 64])
def test_a_file_that_holds_no_key_is_refused_without_showing_it(tmp_path: Path, held: str) -> None:
    path = tmp_path / "judge.key"
    path.write_text(held, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(KeyFileError, match=f"{path}: not a key") as refused:
        load_private(path)
    assert not held.strip() or held.strip() not in str(refused.value)


def test_a_missing_file_or_folder_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "no" / "judge.key"
    with pytest.raises(KeyFileError, match=f"{missing}: the key cannot be read: No such file"):
        load_private(missing)
    with pytest.raises(KeyFileError, match=f"{missing}: the key cannot be written: No such file"):
        load_signing(missing, create=True)


def test_the_auditors_key_differs_for_each_judge_and_reveals_nothing_of_the_judges_key(tmp_path: Path) -> None:
    one, other = (load_private(tmp_path / name, create=True) for name in ("a", "b"))
    assert derive_audit_key(one) == derive_audit_key(one)
    assert (
        len({derive_audit_key(one), derive_audit_key(other), one.raw, other.raw, derive_checkpoint_key(one).raw}) == 5
    )


def test_the_key_that_verifies_a_judge_is_beside_its_key_and_follows_it(tmp_path: Path) -> None:
    path = tmp_path / "judge.key"
    assert load_verify_key(path) is None  # keys that an older version made
    private = load_private(path, create=True)
    verify = derive_checkpoint_key(private).public
    assert write_verify_key(path, private) == verify
    written = (tmp_path / "judge.key.pub.sign").stat().st_mtime_ns
    assert (write_verify_key(path, private), load_verify_key(path)) == (verify, verify)
    assert (tmp_path / "judge.key.pub.sign").stat().st_mtime_ns == written
    other = PrivateKey.generate()
    assert write_verify_key(path, other) == load_verify_key(path) == derive_checkpoint_key(other).public
    (tmp_path / "judge.key.pub.sign").write_text("no key")
    with pytest.raises(KeyFileError, match=r"judge\.key\.pub\.sign"):
        load_verify_key(path)

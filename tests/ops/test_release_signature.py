"""The signed list of a release: whoever has the public half and OpenSSH finds each change of each file."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SIGN = ROOT / "packaging" / "sign"
FILES = ("pitwarden_1_amd64.deb", "pitwarden-1.whl", "runtime.lock", "sbom.cdx.json", "SHA256SUMS")
WHO = "release@pitwarden"
pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is missing: openssh-client")


def key_pair(folder: Path, name: str) -> Path:
    key = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", WHO, "-f", key], check=True)
    return key


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Return a folder as `./run package` fills it."""
    folder = tmp_path / "dist"
    folder.mkdir()
    for name in FILES:
        (folder / name).write_text(name)
    return folder


def signed(key: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SIGN, key, folder], capture_output=True, text=True, check=False)


def verified(folder: Path, key: Path) -> bool:
    """Verify as the guide states it: the signature of the list, then each file."""
    signers = folder.parent / "allowed_signers"
    signers.write_text(f"{WHO} {key.with_name(key.name + '.pub').read_text()}")
    command = (
        f"ssh-keygen -Y verify -f '{signers}' -I {WHO} -n pitwarden-release -s RELEASE.sha256.sig <RELEASE.sha256"
        " && sha256sum --check --quiet --strict RELEASE.sha256"
    )
    return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, check=False).returncode == 0


def test_a_release_is_signed_and_each_change_is_found(tmp_path: Path, built: Path) -> None:
    key, other = key_pair(tmp_path, "release"), key_pair(tmp_path, "other")
    said = signed(key, built)
    assert (said.returncode, said.stdout.split()) == (0, ["RELEASE.sha256", "RELEASE.sha256.sig"]), said.stderr
    assert verified(built, key)
    assert not verified(built, other), "another key's release"
    for name in FILES:
        (built / name).write_text("changed")
        assert not verified(built, key), name
        (built / name).write_text(name)
    assert verified(built, key)
    listed = (built / "RELEASE.sha256").read_text()
    (built / "RELEASE.sha256").write_text(listed.replace("0", "1", 1))
    assert not verified(built, key), "the list itself"
    (built / "RELEASE.sha256").write_text(listed)
    assert signed(other, built).returncode == 0
    assert not verified(built, key), "signed again by somebody else"


def test_nothing_is_signed_that_is_not_complete(tmp_path: Path, built: Path) -> None:
    key = key_pair(tmp_path, "release")
    (built / "sbom.cdx.json").unlink()
    said = signed(key, built)
    assert said.returncode == 1
    assert "sbom.cdx.json: is not there: build first with ./run package" in said.stderr
    assert not (built / "RELEASE.sha256").exists()


def test_a_key_that_is_not_there_is_named(tmp_path: Path, built: Path) -> None:
    said = signed(tmp_path / "nowhere", built)
    assert (said.returncode, said.stderr) == (1, f"{tmp_path}/nowhere: cannot be read: name the release's key\n")

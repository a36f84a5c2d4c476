"""Fixture `package`: the result of packaging/build, made once for all tests and each state of the sources."""

import fcntl
import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[4]
_CACHE = REPOSITORY / ".cache" / "package"
_SHIPPED = ("client", "daemon", "drivers", "simulators", "packaging", "systemd", "config", "docs", "tests/scenarios")
_FILES = ("pyproject.toml", "requirements.lock", "README.md", "LICENSE")


@dataclass(frozen=True)
class Package:
    """Folder with everything that was built."""

    folder: Path

    @property
    def wheel(self) -> Path:
        """Wheel of the service.

        Its file name begins like those of the client and the simulators, except for the dash.
        """
        [found] = self.folder.glob("pitwarden-*.whl")
        return found

    @property
    def wheels(self) -> tuple[Path, ...]:
        """Wheels of all distributions, by file name."""
        return tuple(sorted(self.folder.glob("*.whl")))

    @property
    def epoch(self) -> str:
        """Time (s since 1970) that the build wrote into its results: of the commit it was built at."""
        return (self.folder / "built").read_text(encoding="ascii")

    @property
    def deb(self) -> Path:
        [found] = self.folder.glob("pitwarden_*.deb")
        return found

    @property
    def simulators(self) -> Path:
        """Debian package of the simulated devices."""
        [found] = self.folder.glob("pitwarden-simulators_*.deb")
        return found


def next_revision(deb: Path, folder: Path) -> Path:
    """Make the package that follows `deb`, with the same files and a higher revision; return it, in `folder`."""
    name, version, architecture = deb.stem.split("_")
    release, _, revision = version.rpartition("-")
    newer = f"{release}-{int(revision) + 1}"
    tree = folder / f"{name}.tree"
    subprocess.run(["dpkg-deb", "-R", deb, tree], check=True)
    control = tree / "DEBIAN" / "control"
    control.write_text(control.read_text(encoding="utf-8").replace(version, newer), encoding="utf-8")
    made = folder / f"{name}_{newer}_{architecture}.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "-b", tree, made], check=True, capture_output=True)
    shutil.rmtree(tree)
    return made


@pytest.fixture(scope="session")
def package() -> Package:
    """Return the package, built now or found as built from these very sources."""
    if shutil.which("dh") is None:
        pytest.skip("the package is built with debhelper: apt-get install debhelper")
    _CACHE.mkdir(parents=True, exist_ok=True)
    with (_CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = _CACHE / _sources()
        if not (folder / "built").exists():
            for older in (each for each in _CACHE.iterdir() if each.is_dir()):
                shutil.rmtree(older)
            built = subprocess.run(
                [REPOSITORY / "packaging" / "build", "1", folder], capture_output=True, text=True, check=False
            )
            assert built.returncode == 0, built.stdout + built.stderr
            at = subprocess.run(
                ["git", "log", "-1", "--format=%ct"], cwd=REPOSITORY, capture_output=True, text=True, check=True
            ).stdout
            (folder / "built").write_text(at.strip(), encoding="ascii")
    return Package(folder)


def _sources() -> str:
    """Return a digest of everything that goes into the package."""
    said = hashlib.sha256()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *_SHIPPED, *_FILES],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for name in sorted(filter(None, listed.split("\0"))):
        path = REPOSITORY / name
        if path.is_file():
            said.update(f"{name} {path.stat().st_mode & 0o111} ".encode() + path.read_bytes())
    return said.hexdigest()[:16]

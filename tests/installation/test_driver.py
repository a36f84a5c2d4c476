"""`pitwarden driver`: from a name to a driver that is installed without pip, listed, verified, played and removed."""

import base64
import hashlib
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.installation.driver_wheel import WheelError, install_wheel, read_wheel

ROOT = Path(__file__).parents[2]
NAME, CLASS = "acme_shuffler", "AcmeShuffler"


class Environment:
    """Fresh environment without pip that has this tree's packages; what is installed into it stays in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        self.python = folder / "venv/bin/python"
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.site = folder / "venv/lib" / version / "site-packages"
        roots = [ROOT / name for name in ("client", "daemon", "drivers", "simulators")]
        self.site.joinpath("tree.pth").write_text("\n".join(map(str, [*roots, sysconfig.get_path("purelib")])) + "\n")

    def run(self, *words: str | Path, code: int = 0, cwd: Path | None = None) -> str:
        """Run the environment's Python; return what it printed."""
        ended = subprocess.run(
            [self.python, *words], cwd=cwd or self.folder, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    def pitwarden(self, *words: str | Path, code: int = 0) -> str:
        return self.run("-m", "pitwarden.cli", *words, code=code)


def build(source: Path) -> Path:
    """Return the wheel of a source folder, built as an integrator's tools do."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"], cwd=source, check=True,
        capture_output=True,
    )  # fmt: skip
    return max((source / "dist").iterdir(), key=lambda one: one.name)


@pytest.mark.full
@pytest.mark.timeout(400)
def test_a_driver_from_its_name_to_its_removal(tmp_path: Path) -> None:
    made = Environment(tmp_path)
    source = tmp_path / f"{NAME}-driver"
    assert f"Next: read {source.name}/README.md" in made.pitwarden("driver", "new", NAME)
    assert "OK" in made.pitwarden("driver", "test", source)
    assert "there is no such folder" in made.pitwarden("driver", "test", source / NAME, code=78)
    meaning = source / NAME / "meaning.py"
    written = meaning.read_text()
    meaning.write_text(written.replace("ShufflerStarted(", "ShufflerDone(count=1, "))
    assert "FAILED" in made.pitwarden("driver", "test", source, code=1)
    meaning.write_text(written)
    (tmp_path / "SHA256SUMS").write_text(made.pitwarden("version", "--hashes"))
    wheel = build(source)

    assert f"{NAME}-driver 0.1.0: driver {NAME}, " in made.pitwarden("driver", "install", wheel)
    assert f"{NAME:16}  {NAME}-driver 0.1.0, installed here\n" in made.pitwarden("driver", "list")
    played = made.pitwarden("session-kit", NAME, "--device", f"{NAME}.device:Simulated{CLASS}")
    assert "session: 20 kept, 0 broken, 1 not played" in played
    verified = made.pitwarden("version", "--verify", "SHA256SUMS", code=1).splitlines()
    assert any(f"site-packages/{NAME}/wire.py: " in line for line in verified), verified
    assert all(line.endswith(f"not in the list (driver {NAME} of {NAME}-driver 0.1.0)") for line in verified), verified

    project = source / "pyproject.toml"
    project.write_text(project.read_text().replace('"0.1.0"', '"0.2.0"'))
    made.pitwarden("driver", "install", build(source))
    assert f"{NAME}-driver 0.2.0, installed here\n" in made.pitwarden("driver", "list")
    assert not list(made.site.glob("*-0.1.0.dist-info"))

    assert f"{NAME}-driver 0.2.0: 10 files removed" in made.pitwarden("driver", "remove", NAME)
    assert NAME not in made.pitwarden("driver", "list")
    assert "all " in made.pitwarden("version", "--verify", "SHA256SUMS")
    assert not (made.site / NAME).exists()
    assert "no driver has this name" in made.pitwarden("driver", "remove", NAME, code=78)
    assert "was not installed by" in made.pitwarden("driver", "remove", "tdp", code=78)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_driver_that_does_not_load_is_removed_again(tmp_path: Path) -> None:
    made = Environment(tmp_path)
    made.pitwarden("driver", "new", NAME)
    source = tmp_path / f"{NAME}-driver"
    (source / NAME / "__init__.py").write_text("import a_library_that_is_not_there\n")
    refused = made.pitwarden("driver", "install", build(source), code=78)
    assert "No module named 'a_library_that_is_not_there'. It is removed again" in refused
    assert not (made.site / NAME).exists()
    assert NAME not in made.pitwarden("driver", "list")


@pytest.mark.parametrize("name", ["Acme", "1acme", "a", "acme-shoe", "class", "json", "pydantic"])
def test_a_name_that_is_not_usable_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["driver", "new", name, "--folder", str(tmp_path / "made")]) == 78
    assert capsys.readouterr().err.startswith(f"{name}: ")
    assert not (tmp_path / "made").exists()


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["driver", "new", NAME, "--folder", str(tmp_path)]) == 78
    assert "exists already" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


INFO = "acme-1.0.dist-info"
GOOD = {
    "acme/__init__.py": "DRIVER = None\n",
    f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\nRequires-Dist: pitwarden\n",
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{INFO}/entry_points.txt": "[pitwarden.drivers]\nacme = acme:DRIVER\n",
}


def packed(folder: Path, files: dict[str, str], record: str | None = None) -> Path:
    """Return a wheel with `files` and their RECORD, or with the RECORD that is given."""
    lines = [
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},"
        for name, text in files.items()
    ]
    path = folder / "acme-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
        made.writestr(f"{INFO}/RECORD", "\n".join(lines) if record is None else record)
    return path


def test_a_good_wheel_is_read(tmp_path: Path) -> None:
    wheel = read_wheel(packed(tmp_path, GOOD))
    assert (wheel.distribution, wheel.version, wheel.drivers) == ("acme", "1.0", ("acme",))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"../evil.py": "x"}, "../evil.py: is not a place in site-packages"),
        ({"/etc/evil": "x"}, "/etc/evil: is not a place in site-packages"),
        ({"acme.pth": "import os"}, "acme.pth: is not a place in site-packages"),
        ({"acme-1.0.data/scripts/x": "x"}, "is not a place in site-packages"),
        ({f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"}, "has compiled parts"),
        ({f"{INFO}/entry_points.txt": "[console_scripts]\nx = acme:x\n"}, "has no driver"),
        ({f"{INFO}/METADATA": "Name: acme\nVersion: 1.0\nRequires-Dist: numpy>=2\n"}, "needs numpy>=2"),
    ],
)
def test_a_wheel_that_is_not_a_driver_of_pure_python_is_refused(
    changed: dict[str, str], words: str, tmp_path: Path
) -> None:
    path = packed(tmp_path, {**GOOD, **changed})
    with pytest.raises(WheelError) as refused:
        read_wheel(path)
    assert words in str(refused.value)


def test_a_wheel_that_was_changed_on_its_way_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = packed(tmp_path, GOOD, record=f"acme/__init__.py,sha256=AAAA,\n{INFO}/METADATA,,\n")
    assert main(["driver", "install", str(path)]) == 78
    assert "acme/__init__.py: differs from the wheel's RECORD" in capsys.readouterr().err
    with pytest.raises(WheelError, match="is not in the wheel's RECORD"):
        read_wheel(packed(tmp_path, GOOD, record=""))
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(f"{INFO}/RECORD", "acme/__init__.py,sha256=AAAA,\n")
    with pytest.raises(WheelError, match=r"acme/__init__\.py: is missing"):
        read_wheel(path)
    path.write_text("not a zip file")
    with pytest.raises(WheelError, match="is not a wheel"):
        read_wheel(path)
    with pytest.raises(WheelError, match="cannot be read"):
        read_wheel(tmp_path / "none.whl")


def test_a_file_of_another_distribution_is_not_replaced(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "acme").mkdir(parents=True)
    (site / "acme/__init__.py").write_text("theirs")
    with pytest.raises(WheelError, match=r"acme/__init__\.py: exists already"):
        install_wheel(read_wheel(packed(tmp_path, GOOD)), site)
    assert (site / "acme/__init__.py").read_text() == "theirs"


def test_a_driver_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    taken = {**GOOD, f"{INFO}/entry_points.txt": "[pitwarden.drivers]\ntdp = acme:DRIVER\n"}
    with pytest.raises(WheelError, match="driver tdp: belongs to pitwarden"):
        install_wheel(read_wheel(packed(tmp_path, taken)), tmp_path / "site")

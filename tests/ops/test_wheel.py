"""The wheels without the package: built twice they are the same; they install and run; their lists are whole."""

import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from testkit.installation.package import REPOSITORY, Package
from testkit.tables.shipped_examples import attested_example

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
SOURCES = {
    "pitwarden": ("daemon/pitwarden", "drivers/pitwarden_drivers"),
    "pitwarden_client": ("client/pitwarden_client",),
    "pitwarden_simulators": ("simulators/pitwarden_simulators",),
}
"""Each distribution, by the first word of its wheel's file name, and the folders that are in it."""
FOLDERS = ("client", ".", "simulators")


def ran(*words: str | Path, cwd: Path, **environment: str) -> str:
    said = subprocess.run(
        words, cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert said.returncode == 0, said.stdout + said.stderr
    return said.stdout


def test_built_again_elsewhere_the_wheel_is_the_same_bit_by_bit(package: Package, tmp_path: Path) -> None:
    tree = tmp_path / "elsewhere"
    tree.mkdir()
    listed = ran("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=REPOSITORY)
    for name in filter(None, listed.split("\0")):
        if (REPOSITORY / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes((REPOSITORY / name).read_bytes())
    again = tmp_path / "again"
    hatch = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", again)
    for folder in FOLDERS:
        ran(*hatch, cwd=tree / folder, SOURCE_DATE_EPOCH=package.epoch)
    made = {wheel.name: hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in again.iterdir()}
    assert made == {wheel.name: hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in package.wheels}
    assert {name.partition("-")[0] for name in made} == set(SOURCES)


@pytest.mark.parametrize("distribution", SOURCES)
def test_a_wheel_holds_every_source_and_nothing_else(package: Package, distribution: str) -> None:
    [wheel] = [wheel for wheel in package.wheels if wheel.name.partition("-")[0] == distribution]
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    folders = SOURCES[distribution]
    listed = ran("git", "ls-files", "--cached", "--others", "--exclude-standard", *folders, cwd=REPOSITORY)
    assert names == {name.split("/", 1)[1] for name in listed.splitlines() if (REPOSITORY / name).is_file()}


def test_installed_alone_it_runs_and_checks_a_table_file(package: Package, tmp_path: Path) -> None:
    """What the operations guide tells those without the package; the locked packages are this environment's."""
    fresh = tmp_path / "venv"
    ran(sys.executable, "-m", "venv", "--without-pip", fresh, cwd=tmp_path)
    python = fresh / "bin" / "python"
    ran(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-compile", "--no-index",
        *package.wheels, cwd=tmp_path)  # fmt: skip
    place = fresh / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    (place / "locked.pth").write_text(sysconfig.get_path("purelib") + "\n")
    command = fresh / "bin" / "pitwarden"
    wanted = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]
    assert ran(command, "version", cwd=tmp_path).startswith(f"pitwarden {wanted}, rules ")
    example = attested_example("three-card-blitz", tmp_path)
    assert (
        json.loads(ran(command, "check-config", "--long", example, cwd=tmp_path))["table"]["game"] == "three-card-blitz"
    )
    where = ran(python, "-c", "import pitwarden, pitwarden_drivers; print(pitwarden.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(place)


def test_the_debian_package_ships_the_brokers_files_where_the_guide_and_the_doctor_say(
    package: Package, tmp_path: Path
) -> None:
    ran("dpkg-deb", "-x", package.deb, tmp_path, cwd=tmp_path)
    shipped, sources = tmp_path / "usr/share/doc/pitwarden/examples/mosquitto", REPOSITORY / "config" / "mosquitto"
    assert (shipped / "pitwarden-apart.acl").exists()
    assert {each.name: each.read_text() for each in shipped.iterdir()} == {
        each.name: each.read_text() for each in sources.iterdir()
    }


def test_the_list_of_contents_names_each_locked_distribution_with_licence_and_hashes(package: Package) -> None:
    text = (package.folder / "sbom.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    listed = json.loads(text)
    lock = (package.folder / "runtime.lock").read_text()
    locked = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, re.MULTILINE))
    assert {each["name"]: each["version"] for each in listed["components"]} == locked
    assert {"pydantic", "pynacl", "paho-mqtt", "prometheus-client"} <= set(locked)
    assert "textual" in locked, "watch is in the package"
    assert not {"pytest", "mypy", "ruff", "iotcore"} & set(locked)
    for each in listed["components"]:
        assert each["purl"] == f"pkg:pypi/{each['name']}@{each['version']}"
        assert each["licenses"], each["name"]
        assert {said["content"] for said in each["hashes"]} <= set(re.findall(r"sha256:([0-9a-f]{64})", lock))
    [ours] = [each for each in listed["dependencies"] if each["ref"].startswith("pitwarden==")]
    assert len(ours["dependsOn"]) == len(locked)
    assert listed["metadata"]["component"]["name"] == "pitwarden"


def test_the_list_of_hashes_covers_what_the_wheel_holds(package: Package) -> None:
    hashes = {name: listed_hashes(package.folder / name) for name in ("SHA256SUMS", "SHA256SUMS.simulators")}
    assert not hashes["SHA256SUMS"].keys() & hashes["SHA256SUMS.simulators"].keys()
    for wheel in package.wheels:
        listed = hashes["SHA256SUMS.simulators" if "_simulators-" in wheel.name else "SHA256SUMS"]
        with zipfile.ZipFile(wheel) as opened:
            for name in opened.namelist():
                if not name.endswith("RECORD"):
                    installed = f"lib/python3.11/site-packages/{name}"
                    assert listed[installed] == hashlib.sha256(opened.read(name)).hexdigest(), name


def listed_hashes(file: Path) -> dict[str, str]:
    return {name: digest for digest, name in (line.split("  ", 1) for line in file.read_text().splitlines())}


def test_the_simulators_are_a_package_of_their_own_and_the_service_has_none(package: Package, tmp_path: Path) -> None:
    for deb, folder in ((package.deb, tmp_path / "service"), (package.simulators, tmp_path / "simulators")):
        ran("dpkg-deb", "-x", deb, folder, cwd=tmp_path)
    installed = {
        deb: {str(path.relative_to(tmp_path / deb)) for path in (tmp_path / deb).rglob("*") if not path.is_dir()}
        for deb in ("service", "simulators")
    }
    assert not installed["service"] & installed["simulators"]
    assert not [name for name in installed["service"] if "simulators" in name or "iotcore" in name]
    assert {
        "lib/systemd/system/pitwarden-simulators@.service",
        "lib/systemd/system/pitwarden-simulators@.service.d/20-simulators.conf",
        "usr/lib/sysusers.d/pitwarden-simulators.conf",
        "usr/lib/pitwarden/SHA256SUMS.simulators",
    } <= installed["simulators"]
    listed = listed_hashes(tmp_path / "simulators/usr/lib/pitwarden/SHA256SUMS.simulators")
    assert {f"usr/lib/pitwarden/{name}" for name in listed} == {
        name for name in installed["simulators"] if name.startswith("usr/lib/pitwarden/lib/")
    }
    for name, digest in listed.items():
        file = tmp_path / "simulators/usr/lib/pitwarden" / name
        assert hashlib.sha256(file.read_bytes()).hexdigest() == digest, name


def test_the_client_installs_alone_and_a_consumer_of_it_needs_nothing_else(package: Package, tmp_path: Path) -> None:
    fresh = tmp_path / "venv"
    ran(sys.executable, "-m", "venv", "--without-pip", fresh, cwd=tmp_path)
    python = fresh / "bin" / "python"
    [client] = [wheel for wheel in package.wheels if wheel.name.startswith("pitwarden_client-")]
    ran(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-compile", "--no-index",
        client, cwd=tmp_path)  # fmt: skip
    place = fresh / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    (place / "locked.pth").write_text(sysconfig.get_path("purelib") + "\n")
    said = ran(
        python, "-c", "import pitwarden_client as c, sys; c.connect; print(c.__file__, 'pitwarden' in sys.modules)",
        cwd=tmp_path,
    )  # fmt: skip
    file, loaded = said.split()
    assert Path(file).is_relative_to(place)
    assert loaded == "False"


def test_the_debian_package_ships_manual_pages_completion_and_html(package: Package, tmp_path: Path) -> None:
    ran("dpkg-deb", "-x", package.deb, tmp_path, cwd=tmp_path)
    share = tmp_path / "usr" / "share"
    pages = {page.name for page in (share / "man").rglob("*.gz")}
    assert {"pitwarden.1.gz", "pitwarden-table.5.gz", "pitwarden-alarms.7.gz", "pitwarden-table@.service.8.gz"} <= pages
    ran("bash", "-n", share / "bash-completion" / "completions" / "pitwarden", cwd=tmp_path)
    assert (share / "zsh" / "vendor-completions" / "_pitwarden").read_text().startswith("#compdef pitwarden")
    assert "pitwarden" in (share / "doc" / "pitwarden" / "html" / "index.html").read_text()

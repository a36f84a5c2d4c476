"""Shell scripts, the maintainer scripts of the Debian package among them, have no finding of shellcheck."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def scripts() -> list[Path]:
    """Return every shell script of the repository, by its first line."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    files = [ROOT / name for name in listed.split("\0") if name]
    return [file for file in files if file.is_file() and file.read_bytes()[:9] == b"#!/bin/sh"]


def test_no_script_has_a_finding(shellcheck: str) -> None:
    found = scripts()
    assert {"preinst", "postrm", "run", "get_debian_program.sh"} <= {file.name for file in found}
    said = subprocess.run([shellcheck, "--severity=style", *found], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout) == (0, "")


def test_nothing_is_installed_by_pip_without_a_hash() -> None:
    seen = 0
    for file in scripts():
        lines = file.read_text().replace("\\\n", " ").splitlines()
        for line in lines:
            if "pip install" in line and not line.lstrip().startswith("#"):
                seen += 1
                assert "--require-hashes" in line or "--no-index" in line or "--no-deps --no-build" in line, (
                    file,
                    line,
                )
    assert seen > 0

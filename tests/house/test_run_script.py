"""The script `run` sets up the environment that it finds, also from a folder of links."""

import subprocess
from pathlib import Path

from testkit.documents.page_blocks import ROOT

NAMES = (
    "run",
    "requirements.lock",
    "pyproject.toml",
    "client/pyproject.toml",
    "simulators/pyproject.toml",
    "console/pyproject.toml",
)
PYTHON = """#!/bin/sh
echo "$@" >>{log}
"""


def test_a_folder_of_links_installs_the_tree_that_the_environment_stands_in(tmp_path: Path) -> None:
    tree, links, log = tmp_path / "tree", tmp_path / "links", tmp_path / "log"
    for name in NAMES:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes((ROOT / name).read_bytes())
    python = tree / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON.format(log=log), encoding="utf-8")
    python.chmod(0o755)
    links.mkdir()
    for entry in tree.iterdir():
        (links / entry.name).symlink_to(entry)
    subprocess.run(["sh", "run", "tool", "--help"], cwd=links, capture_output=True, check=True)
    installed = next(line for line in log.read_text(encoding="utf-8").splitlines() if " -e " in line)
    assert installed.endswith(f"-e {tree}/client -e {tree} -e {tree}/simulators -e {tree}/console")

"""The script `run` sets up the environment that it finds, also from a folder of links."""

import subprocess
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    ("user", "said", "asked"),
    [
        (1000, "the package is built with what is not here: git debhelper", ""),
        (0, "installing git debhelper", "-qq update\n-qq install -y --no-install-recommends git debhelper"),
    ],
)
def test_a_package_is_begun_only_with_its_builders_which_root_gets(
    user: int, said: str, asked: str, tmp_path: Path
) -> None:
    programs, log, tree = tmp_path / "bin", tmp_path / "log", tmp_path / "tree"
    programs.mkdir()
    tree.mkdir()
    log.touch()
    (tree / "run").write_bytes((ROOT / "run").read_bytes())
    for name, text in (
        ("id", f"echo {user}"),
        ("dirname", "echo ."),
        ("python3", "exit 1"),
        ("apt-get", f'echo "$@" >>{log}; [ "$2" = update ]'),  # the installation itself fails, so nothing is built
    ):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    ended = subprocess.run(
        ["/bin/sh", "run", "package"],
        cwd=tree,
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    assert said in ended.stdout + ended.stderr
    assert log.read_text(encoding="utf-8").startswith(asked)
    assert bool(asked) == bool(log.read_text(encoding="utf-8"))
    assert sorted(entry.name for entry in tree.iterdir()) == ["run"], "no environment was begun"

"""The layers of the design hold; and the linter that says so can fail."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def lint(*arguments: str) -> subprocess.CompletedProcess[str]:
    linter = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(  # noqa: PLW1510  the exit code is what is tested
        [str(linter), "--no-cache", *arguments], capture_output=True, text=True, cwd=ROOT
    )


def test_layers_hold() -> None:
    result = lint()
    assert result.returncode == 0, result.stdout


def test_a_broken_layer_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "contracts.ini"
    file.write_text(
        "[importlinter]\nroot_packages = pitwarden\n"
        "[importlinter:contract:upside-down]\nname = upside down\ntype = layers\n"
        "layers =\n  pitwarden.events\n  pitwarden.config\n"
    )
    assert lint("--config", str(file)).returncode == 1


def test_no_public_class_has_the_name_of_another() -> None:
    homes: dict[str, list[str]] = {}
    for root in ("client", "console", "daemon", "drivers", "simulators", "tools"):
        for file in sorted((ROOT / root).rglob("*.py")):
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes.setdefault(node.name, []).append(str(file.relative_to(ROOT)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}

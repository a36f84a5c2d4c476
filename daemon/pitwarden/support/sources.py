"""Parts of a support bundle before their redaction: programs of this machine, configuration, names of journals."""

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Final

from pitwarden.config.credential_files import credential_files
from pitwarden.config.models import TableFile
from pitwarden.rules import RULES_VERSION

# Newest lines of the system journal in a bundle: some nights, since one line is written per change.
LOG_LINES: Final = 2_000
# `journalctl` on a full disk of a slow controller takes seconds; a program that hangs must not hold the bundle.
_PROGRAM_S: Final = 60.0
_OS_RELEASE: Final = Path("/etc/os-release")


def versions() -> str:
    """Return what is installed: pitwarden, rules, Python, system, and every distribution of the environment."""
    head = [
        f"pitwarden {version('pitwarden')}, rules {RULES_VERSION}",
        f"Python {platform.python_version()} at {sys.prefix}",
        f"{platform.system()} {platform.release()} {platform.machine()}",
    ]
    installed = sorted(f"{one.name} {one.version}" for one in distributions())
    return "\n".join([*head, _text_of(_OS_RELEASE), *installed])


def configuration(table: TableFile) -> str:
    """Return the effective configuration. Passwords and keys are in files of their own and not part of it."""
    return json.dumps(table.model_dump(mode="json"), indent=2)


def status(name: str) -> str:
    """Return the state of the table's units."""
    keys = "Id,ActiveState,SubState,Result,NRestarts,StatusText,ExecMainStartTimestamp"
    return _output(["systemctl", "show", f"pitwarden-*@{name}.service", "-p", keys, "--no-pager"])


def log_lines(name: str) -> str:
    """Return the newest log lines of the table's units."""
    unit = f"pitwarden-*@{name}.service"
    return _output(["journalctl", "-u", unit, "-n", str(LOG_LINES), "-o", "short-iso", "--no-pager"])


def journals(folder: Path) -> str:
    """Return name and size of each journal file; its content stays here."""
    try:
        files = sorted(one for one in folder.rglob("*") if one.is_file())
        return "\n".join(f"{one.stat().st_size:>12}  {one.relative_to(folder)}" for one in files) or f"{folder}: empty"
    except OSError as error:
        return f"{folder}: {error.strerror}"


def secret_files(table: TableFile) -> list[Path]:
    """Return the files of the table that hold keys or passwords."""
    keys = table.storage.keys
    private = (
        [one for one in sorted(keys.rglob("*")) if one.is_file() and ".pub" not in one.suffixes]
        if keys.is_dir()
        else []
    )
    return private + list(credential_files(table))


def _output(argv: Sequence[str]) -> str:
    program = shutil.which(argv[0])
    if program is None:
        return f"{argv[0]}: not installed"
    try:
        ended = subprocess.run(  # noqa: S603  fixed programs; the table's name is one argument, and no shell reads it
            [program, *argv[1:]], capture_output=True, text=True, errors="replace", timeout=_PROGRAM_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{argv[0]}: {type(error).__name__}"
    return ended.stdout + ended.stderr


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError as error:
        return f"{file}: {error.strerror}"

"""`pitwarden version`: the installed version, the hash of each of its files, and their comparison with a list.

Threat: a changed file on a controller. A person who can change files can change a list next to them too: the laboratory
keeps its own list, and passes it to `--verify`.
"""

import argparse
import hashlib
import platform
import re
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path
from typing import Final

from pitwarden.installation.driver_wheel import owners
from pitwarden.rules import RULES_VERSION
from pitwarden.system.file_errors import file_reason

LIST: Final = "SHA256SUMS"
_LINE: Final = re.compile(r"([0-9a-f]{64})  (\S.*)")


class VersionCommand:
    """The command `version`."""

    name = "version"
    help = "what is installed here, and whether its files are those of a list of hashes"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--hashes", action="store_true", help="print the hash of each installed file, as sha256sum does"
        )
        what.add_argument(
            "--verify", nargs="?", type=Path, metavar="LIST", const=Path(sys.prefix) / LIST,
            help=f"compare with a list of hashes (default: the packages' own, {LIST} and {LIST}.*)",
        )  # fmt: skip

    def run(self, args: argparse.Namespace) -> int:
        """Return 0, or 1 with each file that is changed, missing or not in the list."""
        prefix = Path(sys.prefix)
        if args.hashes:
            for name, digest in sorted(installed_hashes(prefix).items()):
                print(f"{digest}  {name}")  # noqa: T201  the command's answer
            return 0
        if args.verify is not None:
            return _verify(args.verify, prefix)
        print(f"pitwarden {version('pitwarden')}, rules {RULES_VERSION}, Python {platform.python_version()}")  # noqa: T201
        return 0


def installed_hashes(prefix: Path) -> dict[str, str]:
    """Return the SHA-256, in hexadecimal, of each file of the environment at `prefix`, by its relative path."""
    files = (path for path in prefix.rglob("*") if path.is_file() and not path.is_symlink())
    return {
        path.relative_to(prefix).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.parent != prefix or not path.name.startswith(LIST)
    }


def hash_differences(wanted: dict[str, str], found: dict[str, str]) -> list[str]:
    """Return a sentence for each file that differs from the expected hashes."""
    said = [f"{name}: changed" for name in wanted.keys() & found.keys() if wanted[name] != found[name]]
    said += [f"{name}: missing" for name in wanted.keys() - found.keys()]
    said += [f"{name}: not in the list" for name in found.keys() - wanted.keys()]
    return sorted(said)


def _verify(file: Path, prefix: Path) -> int:
    # Further packages of pitwarden add files, each with a list next to that of the service.
    lists = (file, *sorted(file.parent.glob(f"{LIST}.*"))) if file == prefix / LIST else (file,)
    wanted: dict[str, str] = {}
    for each in lists:
        try:
            wanted = _read(each) | wanted
        except (OSError, ValueError) as error:
            wrong = f"{each}: no list of hashes: {file_reason(error)}. Make one: pitwarden version --hashes"
            print(wrong, file=sys.stderr)  # noqa: T201  a command talks to a person
            return 1
    drivers = {file.relative_to(prefix).as_posix(): driver for file, driver in owners(_site()).items()
               if file.is_relative_to(prefix)}  # fmt: skip
    said = [
        f"{sentence} ({drivers[name]})" if (name := sentence.rpartition(": ")[0]) in drivers else sentence
        for sentence in hash_differences(wanted, installed_hashes(prefix))
    ]
    named = " and ".join(map(str, lists))
    for sentence in said or [f"{prefix}: all {len(wanted)} files are as {named} says"]:
        print(sentence)  # noqa: T201  the command's answer
    return 1 if said else 0


def _site() -> Path:
    return Path(sysconfig.get_path("purelib"))


def _read(file: Path) -> dict[str, str]:
    """Return the list in `file`.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not a list of hashes, for the stated reason.
    """
    wanted = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"line {number} is not a hash, two spaces and a path")
        wanted[match[2]] = match[1]
    if not wanted:
        raise ValueError("it is empty")
    return wanted


COMMAND = VersionCommand()

"""The keys of a table: there, whole, and nobody else's to read."""

from collections.abc import Callable
from pathlib import Path

from pitwarden.doctor.finding import Finding, ok
from pitwarden.seal.faults import KeyFileError
from pitwarden.seal.keys import load_private, load_public, load_signing, public_path

_WHY = "the service does not start without its keys, and a key that others can read proves nothing"


def look(field: Path, judge: Path, config: Path) -> list[Finding]:
    """One finding for each key file; `config` is named in the command that makes keys."""
    reads: list[tuple[Path, Callable[[Path], object]]] = [
        (field, load_signing),
        (judge, load_private),
        (public_path(field), load_public),
        (public_path(judge), load_public),
    ]
    return [_one(path, read, config) for path, read in reads]


def _one(path: Path, read: Callable[[Path], object], config: Path) -> Finding:
    subject = f"key {path.name}"
    if not path.exists():
        return Finding("bad", subject, f"{path} is missing", _WHY, f"pitwarden keys {config}, or restore its copy")
    try:
        read(path)
    except KeyFileError as error:
        return Finding("bad", subject, str(error), _WHY, _mend(path))
    return ok(subject, "readable by its owner alone" if path.suffix == ".key" else "readable")


def _mend(path: Path) -> str:
    return f"chmod 600 {path}" if path.stat().st_mode & 0o077 else f"restore {path} from its copy"

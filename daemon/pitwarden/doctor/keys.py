"""The keys of a table: there, whole, and nobody else's to read."""

from collections.abc import Callable
from pathlib import Path

from pitwarden_client.events.topics import Half

from pitwarden.doctor.finding import Finding, ok
from pitwarden.seal.errors import KeyFileError
from pitwarden.seal.keys import KeyFiles, load_private, load_public, load_signing, public_path

_WHY = "the service does not start without its keys, and a key that others can read proves nothing"


def look(files: KeyFiles, config: Path, only: Half | None = None) -> list[Finding]:
    """One finding for each key file, or for each that `only` one half needs; `config` is named in what makes keys."""
    make = f"pitwarden keys {config}, or restore its copy"
    fetch = make if only is None else "copy it from the controller of the other half; a new one would be another key"
    field = _one(files.field, load_signing, make)
    judge = _one(files.judge, load_private, make)
    field_public = _one(public_path(files.field), load_public, fetch)
    judge_public = _one(public_path(files.judge), load_public, fetch)
    return {
        None: [field, judge, field_public, judge_public],
        "field": [field, judge_public],
        "judge": [judge, field_public],
    }[only]


def _one(path: Path, read: Callable[[Path], object], missing: str) -> Finding:
    subject = f"key {path.name}"
    if not path.exists():
        return Finding("bad", subject, f"{path} is missing", _WHY, missing)
    try:
        read(path)
    except KeyFileError as error:
        return Finding("bad", subject, str(error), _WHY, _mend(path))
    return ok(subject, "readable by its owner alone" if path.suffix == ".key" else "readable")


def _mend(path: Path) -> str:
    return f"chmod 600 {path}" if path.stat().st_mode & 0o077 else f"restore {path} from its copy"

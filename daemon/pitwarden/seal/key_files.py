"""Where a table's keys lie: today's, and the replaced ones beside them."""

from dataclasses import dataclass
from pathlib import Path

from pitwarden.seal.keys import PrivateKey, load_private, load_public, public_path


@dataclass(frozen=True, slots=True)
class KeyFiles:
    """Where a table's keys are."""

    field: Path
    judge: Path


def key_files(folder: Path, prefix: str = "") -> KeyFiles:
    """The key files in `folder`; the public half of each has `.pub` behind its name."""
    return KeyFiles(folder / f"{prefix}field.key", folder / f"{prefix}judge.key")


def trusted_keys(field_key: Path) -> tuple[str, ...]:
    """The verify keys that sign this table's log, in hexadecimal: today's, and replaced ones that are kept."""
    today = public_path(field_key)
    replaced = sorted(today.parent.glob(f"{today.name}.old-*"))
    return tuple(load_public(path) for path in (today, *replaced))


def private_keys(judge_key: Path) -> tuple[PrivateKey, ...]:
    """The judge's private keys: today's, and the replaced ones whose rows are still kept."""
    replaced = sorted(judge_key.parent.glob(f"{judge_key.name}.old-*"))
    return tuple(load_private(path) for path in (judge_key, *replaced))

"""Secrets that systemd hands over (LoadCredential=keys:DIR): for this service alone, whoever owns DIR."""

from pathlib import Path
from typing import Final

from pitwarden.config.models import Section, TableFile

CREDENTIAL_PREFIX: Final = "keys_"
"""systemd puts the credential's id and _ before the name of each file of a folder."""


def with_credentials(file: TableFile, folder: Path) -> TableFile:
    """The table file with every secret that lies in its folder of keys taken from `folder` instead."""
    given: dict[str, Section | None] = {"broker": file.broker, "metrics": file.metrics}
    moved = {
        name: section.model_copy(update=_moved(section, file.storage.keys, folder))
        for name, section in given.items()
        if section is not None
    }
    return file.model_copy(update=moved)


def _moved(section: Section, keys: Path, folder: Path) -> dict[str, Path]:
    return {
        key: folder / f"{CREDENTIAL_PREFIX}{given.name}"
        for key in ("password_file", "key")
        if (given := getattr(section, key, None)) is not None and given.parent == keys
    }

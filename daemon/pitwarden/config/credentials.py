"""Secrets that systemd hands over (LoadCredential=keys:DIR): for this service alone, whoever owns DIR."""

from pathlib import Path
from typing import Final

from pitwarden.config.models import TableFile

CREDENTIAL_PREFIX: Final = "keys_"
"""systemd puts the credential's id and _ before the name of each file of a folder."""


def with_credentials(file: TableFile, folder: Path) -> TableFile:
    """The table file with every secret that lies in its folder of keys taken from `folder` instead."""
    moved = {
        key: folder / f"{CREDENTIAL_PREFIX}{given.name}"
        for key in ("password_file", "key")
        if (given := getattr(file.broker, key)) is not None and given.parent == file.storage.keys
    }
    return file.model_copy(update={"broker": file.broker.model_copy(update=moved)})

"""Table file as one half sees it, where the halves of a table have an account, folders and a login each.

`storage.halves = "apart"` gives each half a part of what the file names: journals, keys, metrics socket and login.
The process that parses device bytes then cannot write the judge's journal or read its key.
"""

from pathlib import Path
from typing import Final

from pitwarden.config.models import Section, TableFile
from pitwarden_client.events.topics import Half

ACCOUNT_LETTERS: Final = 31
"""Longest name of an account that systemd-sysusers makes."""


def account_of(table: str, half: Half) -> str:
    """Return the account of `half`, as the units name it; `table` is the name of the table file, without its ending."""
    return f"pw-{table}-{half}"


def is_apart(file: TableFile) -> bool:
    """Return whether the halves of the table share no account."""
    return file.storage.halves == "apart"


def of_half(file: TableFile, half: Half) -> TableFile:
    """Return the table file with the folders, secrets and login of `half`; unchanged where the halves share them."""
    if not is_apart(file):
        return file
    storage = file.storage.model_copy(
        update={
            "journals": file.storage.journals / half,
            "keys": file.storage.keys / half,
            "halves": "together",
        }
    )
    login = {} if file.broker.username is None else {"username": half_login(file.broker.username, half)}
    broker = file.broker.model_copy(update={**_moved(file.broker, file.storage.keys, storage.keys), **login})
    metrics = file.metrics
    if metrics is not None:
        own: dict[str, Path] = {}
        if metrics.socket is not None:
            own["socket"] = metrics.socket.parent / half / metrics.socket.name
        metrics = metrics.model_copy(update={**_moved(metrics, file.storage.keys, storage.keys), **own})
    group = file.judge_group
    if group is not None:
        group = group.model_copy(update=_moved(group, file.storage.keys, storage.keys))
    sections = {"storage": storage, "broker": broker, "metrics": metrics, "judge_group": group}
    return file.model_copy(update=sections)


def half_login(login: str, half: Half) -> str:
    """Return the broker login of `half` of the table whose service has `login`."""
    return f"{login}-{half}"


def journal_of(file: TableFile, half: Half) -> Path:
    """Return the path of the journal of `half`."""
    return of_half(file, half).storage.journals / f"{half}.sqlite"


def _moved(section: Section, keys: Path, own: Path) -> dict[str, Path]:
    return {
        key: own / given.name
        for key in ("password_file", "cert", "key")
        if (given := getattr(section, key, None)) is not None and given.parent == keys
    }

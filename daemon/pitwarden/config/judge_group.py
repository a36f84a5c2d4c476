"""Checks of `[judge_group]`, and its paths."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pitwarden.config.models import JudgeGroupSection
from pitwarden_client.mqtt.addresses import parse_address

PORT: Final = 5432
_LOCAL: Final = ("127.0.0.1", "::1", "localhost")


def judge_group_problems(group: JudgeGroupSection | None) -> Iterator[tuple[str, str]]:
    """Yield each key of `[judge_group]` that cannot be used, and why."""
    if group is None:
        return
    remote = False
    for text in group.addresses:
        if text.startswith("/"):
            continue
        try:
            remote = remote or parse_address(text, PORT).host not in _LOCAL
        except ValueError as error:
            yield "addresses", f"{text}: {error}"
    if len(set(group.addresses)) < len(group.addresses):
        yield "addresses", "has an address twice: write each once"
    if remote and group.ca is None:
        yield "ca", "is missing: a server on another machine is reached over TLS alone, and its certificate is verified"
    if (group.cert is None) != (group.key is None):
        yield ("key" if group.key is None else "cert"), "is missing: cert and key go together"


def absolute_group_paths(group: JudgeGroupSection, folder: Path) -> JudgeGroupSection:
    """Return the section with absolute paths."""
    paths = {key: getattr(group, key) for key in ("password_file", "ca", "cert", "key")}
    return group.model_copy(update={key: folder / path for key, path in paths.items() if path is not None})

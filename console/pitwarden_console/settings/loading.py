"""Reading of the console file. It is refused as a complete file, never guessed."""

import json
import tomllib
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import ValidationError

from pitwarden_console.errors import ConsoleSettingsError
from pitwarden_console.settings.console_settings import ConsoleSettings
from pitwarden_console.settings.sections import ConsoleFile

MAX_BYTES: Final = 1_048_576  # a thousand tables take about 100 kB


def load_settings(path: Path) -> ConsoleSettings:
    """Return the settings in the console file at `path`.

    Raises:
        ConsoleSettingsError: The file cannot be read or is not valid; the sentence names each key and the reason.
    """
    try:
        with path.open("rb") as file:
            tree = tomllib.loads(file.read(MAX_BYTES).decode())
    except OSError as error:
        raise ConsoleSettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConsoleSettingsError(f"{path}: not TOML: {error}") from error
    try:
        # By JSON's rules: an array is a tuple, and a string is never a number.
        made = ConsoleFile.model_validate_json(json.dumps(tree, default=str))
    except ValidationError as error:
        raise ConsoleSettingsError("\n".join(f"{path}: {line}" for line in _lines(error))) from None
    _refuse_contradictions(made, path)
    return ConsoleSettings(made, path.absolute().parent)


def _refuse_contradictions(made: ConsoleFile, path: Path) -> None:
    names = [table.name for table in made.table]
    double = sorted({name for name in names if names.count(name) > 1})
    if double:
        raise ConsoleSettingsError(
            f"{path}: table: {', '.join(double)} is listed twice. A name is one table of the site"
        )
    address = made.web.address
    if made.provider is not None and (address is None or not made.web.sign_in):
        raise ConsoleSettingsError(
            f"{path}: provider: set web.address, to which the provider sends people back, and web.sign_in to true"
        )
    if made.provider is not None and "openid" not in made.provider.scopes:
        raise ConsoleSettingsError(f"{path}: provider.scopes: openid is missing: without it there is no identity")
    if address is not None and urlsplit(address).hostname not in made.web.hosts:
        raise ConsoleSettingsError(f"{path}: web.address: its host name is not among web.hosts: add it there")
    if made.keying is not None and not made.web.sign_in:
        raise ConsoleSettingsError(f"{path}: keying: acts need a person: set web.sign_in to true, or leave keying out")
    if not made.store.url.startswith(("sqlite:", "postgresql://")):
        raise ConsoleSettingsError(f"{path}: store.url: write sqlite:FILE, or postgresql://USER@HOST/DATABASE")


def _lines(error: ValidationError) -> list[str]:
    lines = []
    for problem in error.errors(include_url=False):
        place = ".".join(str(part) for part in problem["loc"])
        reason = "unknown key" if problem["type"] == "extra_forbidden" else str(problem["msg"])
        lines.append(f"{place}: {reason.removeprefix('Value error, ')}")
    return lines

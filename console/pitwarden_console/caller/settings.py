"""The caller's file: its socket, and the addresses of the recipients. The addresses hold secrets of the services."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwarden_client.events.base import Ident
from pitwarden_console.errors import ConsoleSettingsError
from pitwarden_console.secret_files import refuse_open_to_others

MAX_BYTES: Final = 65_536  # a hundred recipients take about 10 kB


class Recipient(BaseModel):
    """Recipient of calls: a name of the console file, and addresses in the form of the notification library."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Ident
    urls: Annotated[tuple[str, ...], Field(min_length=1, max_length=10, repr=False)]


class CallerFile(BaseModel):
    """The caller's file. `silent` lists who is called when the console stops sending beats."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    socket: str
    silent: Annotated[tuple[Ident, ...], Field(min_length=1)]
    recipient: Annotated[tuple[Recipient, ...], Field(min_length=1, max_length=100)]

    def urls(self) -> Mapping[str, tuple[str, ...]]:
        """Return the addresses of each recipient."""
        return {one.name: one.urls for one in self.recipient}


def load_caller(path: Path) -> tuple[CallerFile, Path]:
    """Return the caller's file at `path`, and its socket.

    Raises:
        ConsoleSettingsError: The file cannot be read, others can read it, or it is not valid.
    """
    try:
        refuse_open_to_others(path)
        with path.open("rb") as file:
            made = CallerFile.model_validate(tomllib.loads(file.read(MAX_BYTES).decode()))
    except OSError as error:
        raise ConsoleSettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConsoleSettingsError(f"{path}: not TOML: {error}") from error
    except ValidationError as error:
        # Without the values: they hold secrets.
        places = (".".join(map(str, one["loc"])) + f": {one['msg']}" for one in error.errors(include_url=False))
        raise ConsoleSettingsError("\n".join(f"{path}: {place}" for place in places)) from None
    unknown = sorted(set(made.silent) - made.urls().keys())
    if unknown:
        raise ConsoleSettingsError(f"{path}: silent: {', '.join(unknown)} is no recipient. Add a section [[recipient]]")
    return made, path.absolute().parent / made.socket

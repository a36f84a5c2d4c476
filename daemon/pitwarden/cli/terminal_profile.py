"""Profile of a terminal, as `pitwarden setup` writes it: broker, login and table, so that they need not be typed.

Paths are relative to the profile's folder, which is copied to the terminal as it is.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from pitwarden.cli.broker_url import parse_broker_url
from pitwarden.config.models import InputsSection, Names
from pitwarden.config.problems import worded_errors
from pitwarden_client.events.base import Role
from pitwarden_client.events.topics import checked
from pitwarden_client.mqtt.settings import BrokerSettings


class ProfileFileError(Exception):
    """The profile is not usable.

    Policy: print the sentence and stop with exit code 78.

    Example: a broker without mqtt:// or mqtts://.
    """


class _ProfileSection(BaseModel):
    """Section `[profile]`. `game` and `keyed` are those of the table file: which acts a terminal is offered."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    table: str
    broker: str
    game: str | None = None
    keyed: Literal["all"] | Names = "all"
    role: Role | None = None
    terminal: str = "console"
    username: str | None = None
    password_file: str | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class TerminalProfile:
    """Broker with credentials, table, game, and the role and name under which this terminal sends inputs."""

    broker: BrokerSettings
    site: str
    table: str
    role: Role | None
    terminal: str
    game: str | None
    inputs: InputsSection


def load_profile_file(file: Path) -> TerminalProfile:
    """Return the profile at `file`.

    Raises:
        ProfileFileError: The file cannot be read, or a key is wrong.
    """
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
        section = _ProfileSection.model_validate(tree.get("profile", {}))
        site, _, table = section.table.partition("/")
        checked(site), checked(table), checked(section.terminal)
    except OSError as error:
        raise ProfileFileError(f"{file}: cannot be read: {error.strerror}") from None
    except ValidationError as error:
        path, reason = next(worded_errors(error, _ProfileSection))
        raise ProfileFileError(f"{file}: profile.{'.'.join(path)}: {reason}") from None
    except (ValueError, RecursionError) as error:
        raise ProfileFileError(f"{file}: {error}") from None
    inputs = InputsSection(keyed=section.keyed)
    return TerminalProfile(_broker(file, section), site, table, section.role, section.terminal, section.game, inputs)


def _broker(file: Path, section: _ProfileSection) -> BrokerSettings:
    try:
        url = parse_broker_url(section.broker)
    except ValueError as error:
        raise ProfileFileError(f"{file}: profile.broker: {error}") from None
    if url.tls and section.ca is None:
        raise ProfileFileError(f"{file}: profile.ca: is missing: the certificates that prove an mqtts:// broker")
    # A profile with certificates expects encryption, so an unencrypted connection must not be opened silently.
    if not url.tls and (section.ca or section.cert or section.key):
        raise ProfileFileError(f"{file}: profile.broker: with certificates write mqtts://; mqtt:// is without TLS")

    def path(name: str | None) -> Path | None:
        return None if name is None else file.parent / name

    return BrokerSettings(
        url.host,
        url.port,
        section.username,
        path(section.password_file),
        path(section.ca),
        path(section.cert),
        path(section.key),
    )

"""Settings of a console that runs: its broker, store, provider and keys, with the files that the console file names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pitwarden_client import BrokerSettings
from pitwarden_client.events.base import Role
from pitwarden_console.errors import ConsoleSettingsError
from pitwarden_console.secret_files import refuse_open_to_others
from pitwarden_console.settings.sections import ConsoleFile, KeyingLogin

# Bytes of a key of pseudonyms at least: fewer could be guessed.
MIN_KEY: Final = 32
# Bytes of a key of pseudonyms at most: a longer file is another one.
MAX_KEY: Final = 1_024


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """Identity provider of a house. `redirect` is our address to which it sends a person back."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    redirect: str
    scopes: Sequence[str]
    ca: Path | None = None


class ConsoleSettings:
    """A valid console file and the folder that it is in."""

    def __init__(self, file: ConsoleFile, folder: Path) -> None:
        self.file = file
        self._folder = folder
        self.time = file.site.time

    @property
    def broker(self) -> BrokerSettings:
        """Broker and credentials for the client."""
        section = self.file.broker
        return BrokerSettings(
            section.host, section.port, section.username, self._path(section.password_file), self._path(section.ca),
            self._path(section.cert), self._path(section.key), protocol=section.protocol,
        )  # fmt: skip

    def input_brokers(self) -> Mapping[Role, BrokerSettings]:
        """Return the broker with the login of each role that may key."""
        keying = self.file.keying
        logins: Mapping[Role, KeyingLogin | None] = (
            {} if keying is None else {"floor": keying.floor, "supervisor": keying.supervisor}
        )
        return {
            role: replace(self.broker, username=login.username, password_file=self._path(login.password_file))
            for role, login in logins.items()
            if login is not None
        }

    def provider(self) -> ProviderSettings | None:
        """Return the identity provider with its secret; None where there is none.

        Raises:
            ConsoleSettingsError: The file with the secret or the authority cannot be read, or others can read the
                secret.
        """
        section, address = self.file.provider, self.file.web.address
        if section is None or address is None:
            return None
        secret, ca = self._folder / section.client_secret_file, self._path(section.ca)
        try:
            refuse_open_to_others(secret)
            read = secret.read_text(encoding="utf-8").strip()
            if ca is not None:
                ca.read_bytes()
        except (OSError, UnicodeDecodeError) as error:
            reason = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else f"{secret}: no text"
            raise ConsoleSettingsError(f"provider: a file cannot be read: {reason}") from None
        if not read:
            raise ConsoleSettingsError(f"provider.client_secret_file: {secret} is empty")
        back = f"{address}/sign-in/provider/answer"
        return ProviderSettings(section.issuer, section.client_id, read, back, section.scopes, ca)

    def pseudonym_key(self) -> bytes | None:
        """Return the key of pseudonyms; None where the house has set no time.

        Raises:
            ConsoleSettingsError: Its file cannot be read, others can read it, or it has too few bytes.
        """
        section = self.file.retention
        if section is None:
            return None
        file = self._folder / section.key_file
        try:
            refuse_open_to_others(file)
            key = file.read_bytes()
        except OSError as error:
            raise ConsoleSettingsError(f"retention.key_file: {file} cannot be read: {error.strerror}") from None
        if not MIN_KEY <= len(key) <= MAX_KEY:
            reason = f"has {len(key)} bytes, and not {MIN_KEY} to {MAX_KEY:,}. Make one: openssl rand -out FILE 32"
            raise ConsoleSettingsError(f"retention.key_file: {file} {reason}")
        return key

    @property
    def store_url(self) -> str:
        """Address of the database for SQLAlchemy, with its asynchronous driver."""
        url = self.file.store.url
        if url.startswith("sqlite:"):
            return f"sqlite+aiosqlite:///{self._folder / url.removeprefix('sqlite:')}"
        return url.replace("postgresql://", "postgresql+asyncpg://", 1)

    @property
    def caller_socket(self) -> Path | None:
        """Socket of the caller; None where no one is called."""
        return None if self.file.calls is None else self._folder / self.file.calls.socket

    def _path(self, name: str | None) -> Path | None:
        return None if name is None else self._folder / name

"""The console file: which tables, broker, store and address. It is refused as a complete file, never guessed."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import time
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from pitwarden_client import BrokerSettings
from pitwarden_client.events.base import Hex32, Ident, Role
from pitwarden_console.errors import ConsoleSettingsError
from pitwarden_console.roles import AccountRole
from pitwarden_console.secret_files import refuse_open_to_others
from pitwarden_console.site_time import SiteTime

MAX_BYTES: Final = 1_048_576  # a thousand tables take about 100 kB
MAX_TABLES: Final = 500  # a connection each; a larger property runs one console a pit

# Bytes of a key of pseudonyms at least: fewer could be guessed.
MIN_KEY: Final = 32
# Bytes of a key of pseudonyms at most: a longer file is another one.
MAX_KEY: Final = 1_024
_HOST: Final = re.compile(r"[a-z0-9.-]{1,253}|\[[0-9a-f:]{2,39}\]")


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise ValueError("no time zone of this machine. Write one as America/New_York") from None
    return name


def _host(name: str) -> str:
    if not _HOST.fullmatch(name):
        raise ValueError("no host name in lower case, without scheme and port")
    return name


def is_private_address(text: str) -> bool:
    """Return whether no one reads on the way to an address: it has TLS, or is on this machine."""
    parts = urlsplit(text)
    local = parts.hostname in {"localhost", "127.0.0.1"}
    return parts.scheme in ({"http", "https"} if local else {"https"}) and bool(parts.hostname)


def _provider_address(text: str) -> str:
    parts = urlsplit(text)
    if not is_private_address(text) or "@" in parts.netloc:
        raise ValueError("no address of a provider. Write its issuer, as https://id.example")
    if parts.query or parts.fragment:
        raise ValueError("an issuer has no query. Write it as the provider states it, as https://id.example")
    return text


def _page_address(text: str) -> str:
    parts = urlsplit(text)
    host, is_local = parts.hostname or "", parts.hostname == "localhost"
    if parts.scheme not in ({"http", "https"} if is_local else {"https"}) or not _HOST.fullmatch(host):
        raise ValueError("no address of pages. Write scheme, host name and port alone, as https://console.example")
    if text != f"{parts.scheme}://{parts.netloc}" or "@" in text or host[:1].isdigit() or host.startswith("["):
        raise ValueError("no address of pages. Write scheme, host name and port alone, as https://console.example")
    return text


Title = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f<>]*$")]
PitTitle = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f<>/]*$")]
Zone = Annotated[str, AfterValidator(_zone)]
DayStart = Annotated[str, StringConstraints(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
ProviderAddress = Annotated[str, AfterValidator(_provider_address)]
ClaimName = Annotated[str, StringConstraints(min_length=1, max_length=100)]
PageAddress = Annotated[str, AfterValidator(_page_address)]
Port = Annotated[int, Field(ge=1, le=65_535)]
HostName = Annotated[str, AfterValidator(_host)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_default=True)


class SiteSection(_Section):
    """The site. `name` is the segment of its topics; `gaming_day` is the local time at which a gaming day begins.

    `shifts` are the local times at which shifts begin; without any, a gaming day is one shift.
    """

    name: Ident
    title: Title
    zone: Zone
    gaming_day: DayStart
    shifts: Annotated[tuple[DayStart, ...], Field(max_length=12)] = ()

    @property
    def time(self) -> SiteTime:
        """Its zone, gaming day and shifts."""
        shifts = tuple(time.fromisoformat(start) for start in self.shifts)
        return SiteTime(ZoneInfo(self.zone), time.fromisoformat(self.gaming_day), shifts)


class ConsoleBrokerSection(_Section):
    """The broker and the login `console`. Paths are relative to the console file; `ca` switches TLS on."""

    host: str
    port: Port = 1883
    username: str | None = None
    password_file: str | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    protocol: Literal["5", "3.1.1"] = "5"
    name: Ident = "console"
    """Name of this consumer at each table: part of its topics, and of the rights of its login."""


class StoreSection(_Section):
    """The database: a SQLAlchemy address. `sqlite:FILE` is a file next to the console file."""

    url: Annotated[str, Field(repr=False)] = "sqlite:console.sqlite"
    """It can have a password in it."""


class WebSection(_Section):
    """The address of the pages. `hosts` lists the host names under which browsers may open them."""

    host: str = "127.0.0.1"
    port: Port = 8080
    hosts: Annotated[tuple[HostName, ...], Field(min_length=1, max_length=20)] = ("127.0.0.1", "localhost")
    sign_in: bool = True
    """False: anyone who reaches the pages can read them, and no one can act."""
    metrics: bool = False
    """True: `/metrics` answers without a session, for a Prometheus on this computer."""
    address: PageAddress | None = None
    """Address of the pages in a browser, as https://console.example. Passkeys and an identity provider need it."""


class ProviderSection(_Section):
    """The house's identity provider (OpenID Connect). Paths are relative to the console file.

    `roles` maps a value of the claim `role_claim` to a role; the first entry that a person has decides. `person_claim`
    is the employee or license number under which tables record acts.
    """

    issuer: ProviderAddress
    client_id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    client_secret_file: str
    scopes: Annotated[tuple[str, ...], Field(min_length=1, max_length=10)] = ("openid", "profile")
    person_claim: ClaimName = "employee_number"
    name_claim: ClaimName = "name"
    role_claim: ClaimName = "groups"
    roles: Annotated[dict[str, AccountRole], Field(min_length=1, max_length=50)]
    passwords: bool = True
    """False: no one signs in with a password; a provider that does not answer then keeps everyone out."""
    ca: str | None = None


class RetentionSection(_Section):
    """Retention of employee numbers: after so many days they become pseudonyms, under the key in a file.

    The path is relative to the console file. The key has 32 to 1,024 bytes; keep a copy of it apart from the store.
    """

    person_days: Annotated[int, Field(ge=30, le=36_500)]
    key_file: str


class SessionSection(_Section):
    """Times of a session, from the sign-in: its end, and how long without a touch it lasts or may act."""

    shift_hours: Annotated[int, Field(ge=1, le=24)] = 12
    idle_minutes: Annotated[int, Field(ge=5, le=1_440)] = 240
    """Without a touch for so long a session ends. A wall display's lasts its whole shift."""
    act_minutes: Annotated[int, Field(ge=1, le=240)] = 15
    """Without a touch for so long an act asks for the person again; the picture stays. 2 for a shared device."""


class KeyingLogin(_Section):
    """Login of one role at the broker: it writes inputs of that role from the console's terminal, and no other."""

    username: str | None = None
    password_file: str | None = None


class KeyingSection(_Section):
    """Keying. `terminal` is the segment of the console in the inputs' topics; a role without a login keys nothing."""

    terminal: Ident = "console"
    floor: KeyingLogin | None = None
    supervisor: KeyingLogin | None = None


class CallStepEntry(_Section):
    """Step of the calls: a recipient of the caller's file, and after how many seconds it is called, by priority.

    `soon_s` is for priority 2; without it no one is called for that.
    """

    to: Ident
    stop_s: Annotated[int, Field(ge=0, le=86_400)]
    soon_s: Annotated[int, Field(ge=0, le=86_400)] | None = None


class CallsSection(_Section):
    """Calls to people, through the caller at `socket`. Without this section no one is called."""

    socket: str
    step: Annotated[tuple[CallStepEntry, ...], Field(min_length=1, max_length=10)]


class TableEntry(_Section):
    """A table: its name at the site, the pit in which it is, and the verify keys of its field half."""

    name: Ident
    pit: PitTitle
    trusted: Annotated[tuple[Hex32, ...], Field(max_length=8)] = ()


class ConsoleFile(_Section):
    """The console file."""

    site: SiteSection
    broker: ConsoleBrokerSection
    store: StoreSection = StoreSection()
    web: WebSection = WebSection()
    keying: KeyingSection | None = None
    calls: CallsSection | None = None
    provider: ProviderSection | None = None
    session: SessionSection = SessionSection()
    retention: RetentionSection | None = None
    table: Annotated[tuple[TableEntry, ...], Field(min_length=1, max_length=MAX_TABLES)]


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

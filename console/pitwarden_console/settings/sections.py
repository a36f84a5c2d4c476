"""Sections of the console file: their keys, with the values that each may have."""

from datetime import time
from typing import Annotated, Final, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from pitwarden_client.events.base import Hex32, Ident
from pitwarden_console.roles import AccountRole
from pitwarden_console.settings.values import (
    ClaimName,
    DayStart,
    HostName,
    PageAddress,
    PitTitle,
    Port,
    ProviderAddress,
    Title,
    Zone,
)
from pitwarden_console.site_time import SiteTime

MAX_TABLES: Final = 500  # a connection each; a larger property runs one console a pit


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

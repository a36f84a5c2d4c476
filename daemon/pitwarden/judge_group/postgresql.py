"""Connections to the database of a group; the only file that knows the PostgreSQL library.

A connection is opened at the first address whose server accepts writes, and again after each loss. The addresses are
tried one by one: the library's own list gives up at a proxy that accepts and closes (measured).

Errors name the server and the kind of the failure, never a value: a message of the server may quote one.
"""

import asyncio
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import asyncpg

from pitwarden.journal.errors import (
    JournalError,
    JournalFullError,
    JournalOrderError,
    JournalUnreachableError,
    JournalUnwritableError,
    JournalVersionError,
)
from pitwarden.judge_group.layout import LAYOUT_VERSION, SCHEMA_NAME
from pitwarden_client.mqtt.addresses import parse_address

Row: TypeAlias = asyncpg.Record
"""Row of a result, whose columns are read by name."""

PORT: Final = 5432
# Seconds for a connection to one of the database's servers. Then the next one is tried.
CONNECT_S: Final = 2.0
_PASSING: Final = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.TransactionRollbackError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.TooManyConnectionsError,
    asyncpg.LockNotAvailableError,
)
# A stopped client must hold no lock of a row for longer than a lease lasts. Planning with the compiler costs more
# than any of our statements takes.
_SESSION: Final = {
    "search_path": SCHEMA_NAME,
    "idle_in_transaction_session_timeout": "2000",
    "statement_timeout": "5000",
    "tcp_user_timeout": "5000",
    "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
    "jit": "off",
}


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Servers of one database, and the login. An address is `HOST:PORT`, or the folder of a local socket."""

    addresses: tuple[str, ...]
    database: str
    user: str
    password_file: Path | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    @property
    def name(self) -> str:
        """Name of the database, for sentences."""
        return f"database {self.database} at {', '.join(self.addresses)}"

    def host_and_port(self, address: str) -> tuple[str, int]:
        """Return the parts of one of `addresses`; a local socket's port is the default one."""
        if address.startswith("/"):
            return address, PORT
        parsed = parse_address(address, PORT)
        return parsed.host, parsed.port

    def password(self) -> str | None:
        """Return the password; None without a file for it.

        Raises:
            JournalUnwritableError: The file cannot be read.
        """
        if self.password_file is None:
            return None
        try:
            return self.password_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise JournalUnwritableError(
                f"{self.password_file}: {type(error).__name__}. Make it a file with the password, for this account"
            ) from None

    def tls(self) -> ssl.SSLContext | None:
        """Return the context that verifies certificate and name of the server; None without `ca`.

        Raises:
            JournalUnwritableError: One of its files cannot be used.
        """
        if self.ca is None:
            return None
        try:
            context = ssl.create_default_context(cafile=str(self.ca))
            if self.cert is not None:
                context.load_cert_chain(self.cert, self.key)
        except (OSError, ssl.SSLError) as error:
            raise JournalUnwritableError(
                f"{self.ca}: {type(error).__name__}. See ca, cert and key of [judge_group]"
            ) from None
        return context


@contextmanager
def classified_errors(name: str) -> Iterator[None]:
    """Raise each error of the library as the JournalError whose policy applies."""
    try:
        yield
    except asyncpg.InsufficientResourcesError as error:
        if isinstance(error, asyncpg.TooManyConnectionsError):
            raise JournalUnreachableError(f"{name}: it has no connection left. Raise max_connections") from None
        raise JournalFullError(f"{name}: {_kind(error)}. Make room on the server") from None
    except _PASSING as error:
        raise _passing(name, error) from None
    except asyncpg.UniqueViolationError as error:
        raise JournalOrderError(f"{name}: {_kind(error)}: rows or outputs are stored already") from None
    except asyncpg.UndefinedTableError:
        raise JournalUnwritableError(
            f"{name}: its tables are missing. Give its owner the output of: pitwarden group sql"
        ) from None
    except asyncpg.PostgresError as error:
        raise JournalUnwritableError(f"{name}: {_what_to_mend(error)}") from None


def _passing(name: str, error: BaseException) -> JournalError:
    """Return the error for a connection that failed: it may be made later, unless it is the wrong server."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return JournalUnwritableError(
            f"{name}: its certificate is not accepted: {error.verify_message}. Compare ca of [judge_group] with the"
            " server's certificate, and the address with the name in it"
        )
    if isinstance(error, ConnectionError) and "SSL upgrade" in str(error):
        return JournalUnwritableError(f"{name}: the server has no TLS. Set ssl = on there")
    return JournalUnreachableError(f"{name}: {_kind(error)}")


def _what_to_mend(error: asyncpg.PostgresError) -> str:
    if isinstance(error, asyncpg.InvalidAuthorizationSpecificationError):
        return (
            f"it does not let the login in: {_kind(error)}. See user and password_file of [judge_group], and"
            " pg_hba.conf there"
        )
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return f"the login lacks a right: {_kind(error)}. Give the owner the output of: pitwarden group sql"
    return f"{_kind(error)}. See the login, its rights and the server's log"


def _kind(error: BaseException) -> str:
    state = getattr(error, "sqlstate", None)
    return type(error).__name__ if state is None else f"{type(error).__name__} ({state})"


class DatabaseSession:
    """One connection, opened when it is needed. Statements of several callers run one after the other."""

    def __init__(self, settings: DatabaseSettings, program: str, seconds: float) -> None:
        """Bind the servers.

        Args:
            settings: Servers and login.
            program: Name of this connection in the server's list of sessions.
            seconds: Longest time that one statement may take.
        """
        self.settings = settings
        self._program, self._seconds = program, seconds
        self._turn = asyncio.Lock()
        self.waiting = 0
        """Number of statements that run or wait."""
        self._connection: asyncpg.Connection | None = None
        self.address = ""
        """Address of the server that this session is connected to; empty while it is not."""

    async def fetch(self, statement: str, *values: object) -> list[Row]:
        """Run one statement, which is its own transaction, and return its rows.

        Raises:
            JournalUnreachableError: Whether it was executed is not known.
            JournalError: It was not executed.
        """
        self.waiting += 1
        try:
            async with self._turn:
                connection = await self._connected()
                try:
                    with classified_errors(self.settings.name):
                        return list(await connection.fetch(statement, *values, timeout=self._seconds))
                except (JournalUnreachableError, asyncio.CancelledError):
                    self._drop()
                    raise
        finally:
            self.waiting -= 1

    async def script(self, statements: str) -> None:
        """Run statements without values, as the owner of the database does."""
        async with self._turn:
            connection = await self._connected()
            with classified_errors(self.settings.name):
                await connection.execute(statements)

    async def close(self) -> None:
        """Close the connection; it may be used again."""
        connection, self._connection, self.address = self._connection, None, ""
        if connection is not None and not connection.is_closed():
            with suppress(*_PASSING, asyncpg.PostgresError):
                await connection.close(timeout=CONNECT_S)

    def _drop(self) -> None:
        connection, self._connection, self.address = self._connection, None, ""
        if connection is not None:
            connection.terminate()

    async def _connected(self) -> asyncpg.Connection:
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        self.address = ""
        refused: JournalError | None = None
        for address in self.settings.addresses:
            try:
                with classified_errors(f"database {self.settings.database} at {address}"):
                    self._connection = await self._open(address)
            except JournalError as error:
                # A fault that a person must correct is reported before a server that is away.
                refused = error if refused is None or isinstance(refused, JournalUnreachableError) else refused
                continue
            self.address = address
            return self._connection
        raise refused or JournalUnreachableError(f"{self.settings.name}: no address is given")

    async def _open(self, address: str) -> asyncpg.Connection:
        given = self.settings
        host, port = given.host_and_port(address)
        connection = await asyncpg.connect(
            host=host, port=port, user=given.user, database=given.database, password=given.password() or "",
            ssl=given.tls() or False, timeout=CONNECT_S, command_timeout=self._seconds,
            server_settings={**_SESSION, "application_name": self._program},
        )  # fmt: skip
        try:
            await _refuse_standby(connection, f"database {given.database} at {address}")
        except BaseException:
            connection.terminate()
            raise
        return connection


_RIGHTS: Final = """
SELECT rolsuper AS super, coalesce(pg_has_role(relowner, 'USAGE'), false) AS owner
  FROM pg_roles, pg_class WHERE rolname = current_user AND pg_class.oid = 'place'::regclass
"""


async def excess_rights(session: DatabaseSession) -> str:
    """Return which rights the login has that no judge needs; empty for none."""
    (found,) = await session.fetch(_RIGHTS)
    return "is a superuser" if found["super"] else "may drop the tables" if found["owner"] else ""


async def _refuse_standby(connection: asyncpg.Connection, name: str) -> None:
    if await connection.fetchval("SELECT pg_is_in_recovery()"):
        raise JournalUnreachableError(f"{name}: this server is a standby")


class DatabaseSessions:
    """Several connections to one database. A statement runs on the one for which the fewest wait."""

    def __init__(self, sessions: Sequence[DatabaseSession]) -> None:
        self._sessions = tuple(sessions)
        self.settings = self._sessions[0].settings

    async def fetch(self, statement: str, *values: object) -> list[Row]:
        """Run one statement, which is its own transaction, and return its rows; see `DatabaseSession.fetch`."""
        return await min(self._sessions, key=lambda session: session.waiting).fetch(statement, *values)

    async def close(self) -> None:
        """Close the connections; they may be used again."""
        for session in self._sessions:
            await session.close()


async def check_layout(session: DatabaseSession | DatabaseSessions) -> None:
    """Check that the database has the tables that this version uses.

    Raises:
        JournalVersionError: Another version of pitwarden made them.
        JournalError: The database cannot be used.
    """
    rows: Sequence[Row] = await session.fetch("SELECT version FROM layout")
    found = rows[0]["version"] if rows else 0
    if found != LAYOUT_VERSION:
        raise JournalVersionError(
            f"{session.settings.name}: its layout is {found}, and this version uses {LAYOUT_VERSION}. Run the version"
            " of pitwarden that made it, or give the owner the output of: pitwarden group sql"
        )

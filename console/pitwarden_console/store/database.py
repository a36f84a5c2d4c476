"""The database: SQLite in a file, or PostgreSQL. Opened, migrated, and used one transaction at a time.

Threat: a kill, a full disk, or a server that ends in the middle of a transaction.
"""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from importlib.resources import files
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from pitwarden_console.errors import StoreError

_MIGRATIONS: Final = str(files("pitwarden_console.store") / "migrations")
# A writer for each table waits here for its turn; a page never waits for a writer.
_POOL: Final = 10


class HistoryDatabase:
    """An open database. `reading` and `writing` yield a connection in a transaction."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        # SQLite has one writer: turns taken here cost nothing, turns taken in the file wait and poll.
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Yield a connection to read from.

        Raises:
            StoreError: The database failed.
        """
        try:
            async with self._engine.connect() as connection:
                yield connection
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"the store cannot be read: {_cause(error)}") from error

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Yield a connection whose changes are committed together at the end of the block.

        Raises:
            StoreError: The database failed; nothing of the block is stored.
        """
        try:
            async with self._turn, self._engine.begin() as connection:
                yield connection
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"the store cannot be written: {_cause(error)}") from error

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()


@asynccontextmanager
async def open_database(url: str) -> AsyncIterator[HistoryDatabase]:
    """Yield the database at `url`, migrated to the schema of this version.

    Raises:
        StoreError: It cannot be opened, or a later version of the console wrote it.
    """
    sqlite = url.startswith("sqlite")
    engine = create_async_engine(url) if sqlite else create_async_engine(url, pool_size=_POOL, pool_pre_ping=True)
    if sqlite:
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    try:
        try:
            if sqlite:
                _probe(engine.url.database or "")
            async with engine.begin() as connection:
                await connection.run_sync(_migrate)
        except (SQLAlchemyError, OSError, CommandError, sqlite3.Error) as error:
            raise StoreError(
                f"the store at {engine.url.render_as_string()} cannot be opened: {_cause(error)}. "
                "Check store.url in the console file, and that no later version wrote the store"
            ) from error
        yield HistoryDatabase(engine)
    finally:
        await engine.dispose()


def _probe(file: str) -> None:
    """Open and close the file without a thread: the one of aiosqlite outlives an opening that fails.

    A new one is for its owner alone from the start; SQLite gives its other files the same mode.
    """
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA schema_version")


def _prepare_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _migrate(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", _MIGRATIONS)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _cause(error: Exception) -> str:
    original = getattr(error, "orig", None)
    return str(original or error).splitlines()[0]

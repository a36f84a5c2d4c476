"""A console with a table and people who may act."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pitwarden_client import Item
from pitwarden_client.events.outputs import TableState
from pitwarden_console.roles import ROLES
from pitwarden_console.store.database import open_database
from pitwarden_console.store.schema import account, gaming_table
from testkit.consumers.published_night import published_night
from testkit.pages.fed_tables import states
from testkit.pages.people import HASHED, People
from testkit.pages.stored_tables import night_items, sqlite_url


@pytest.fixture(scope="module")
def ten() -> TableState:
    return next(one for one in states(published_night("tab-shielded", "2", 2, "stray_ten")) if one.irregularities)


@pytest.fixture(scope="module")
def overdue() -> TableState:
    """Return a state with an irregularity of priority 1 and a duty that is overdue."""
    return next(one for one in states(published_night("cb-manual", "1", 6, "stub_overdue")) if one.irregularities)


@pytest.fixture(scope="module")
def nights() -> dict[str, tuple[Item, ...]]:
    """Return two nights with incidents, by table; played where no loop runs."""
    return {
        "tab-shielded": night_items("tab-shielded", "2", 2, "stray_ten"),
        "cb-manual": night_items("cb-manual", "1", 6, "stub_overdue"),
    }


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty store of this version. A test copies it: all migrations would cost each test 0.2 s."""

    async def made(folder: Path) -> None:
        async with open_database(sqlite_url(folder)):
            pass

    folder = tmp_path_factory.mktemp("migrated")
    asyncio.run(made(folder))
    return folder / "console.sqlite"


@pytest.fixture
async def people(tmp_path: Path, ten: TableState, migrated: Path) -> AsyncIterator[People]:
    shutil.copyfile(migrated, tmp_path / "console.sqlite")
    async with open_database(sqlite_url(tmp_path)) as database:
        async with database.writing() as connection:
            await connection.execute(gaming_table.insert().values(id=1, site="silent", name="tab-shielded"))
            for number, role in enumerate(ROLES):
                values = {"login": role, "name": f"A {role}", "person": f"p{number}", "role": role, "created_ms": 1}
                await connection.execute(account.insert().values(**values, password=HASHED))
        yield People(tmp_path, database, ten)

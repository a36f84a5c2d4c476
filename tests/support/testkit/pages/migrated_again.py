"""One migration of the console's store, run again on a store without what it adds: its data are a test's."""

from collections.abc import Callable

from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Connection, inspect, text

from pitwarden_console.store.database import HistoryDatabase


async def migrated_again(database: HistoryDatabase, upgrade: Callable[[], None], *without: str) -> None:
    """Execute the statements `without`, which take away what `upgrade` adds, then run it.

    The views of later migrations go first: SQLite drops no column that one of them names.
    """

    def run(connection: Connection) -> None:
        for view in inspect(connection).get_view_names():
            connection.execute(text(f"DROP VIEW {view}"))
        for statement in without:
            connection.execute(text(statement))
        with Operations.context(MigrationContext.configure(connection)):
            upgrade()

    async with database.writing() as connection:
        await connection.run_sync(run)

"""Entry point of Alembic: runs the migrations on the connection that the console has opened."""

from alembic import context
from sqlalchemy import Connection

from pitwarden_console.store.schema import metadata


def run_migrations(connection: Connection) -> None:
    """Run the migrations that this database has not had yet, within the caller's transaction."""
    context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
    with context.begin_transaction():
        context.run_migrations()


run_migrations(context.config.attributes["connection"])

"""A PostgreSQL as the guide for a group of judges configures it: TLS, a password, and a login that owns nothing."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSettings
from pitwarden_simulators.ports.free import FreePort
from testkit.brokers.site_broker import PASSWORD, Site
from testkit.installation.postgresql import PostgresqlServer, started_postgresql

JUDGE: Final = "judge"


@dataclass(frozen=True)
class SecuredPostgresql:
    """Server with the login JUDGE. `settings` lead to its database `pitwarden`, whose tables are not made yet."""

    server: PostgresqlServer
    settings: DatabaseSettings

    @property
    def section(self) -> str:
        """The section of a table file, with a member's name."""
        return (
            f'\n[judge_group]\naddresses = ["{self.settings.addresses[0]}"]\ndatabase = "{self.settings.database}"\n'
            f'user = "{self.settings.user}"\n'
            f'password_file = "{self.settings.password_file}"\nca = "{self.settings.ca}"\n'
            'member = "judge-a"\n'
        )

    def as_owner(self, statements: str, database: str = "pitwarden") -> None:
        """Run statements as the owner of the database, as `psql` runs a file."""
        environment = {**os.environ, **self.server.environment, "PGDATABASE": database}
        command = ["psql", "-q", "-v", "ON_ERROR_STOP=1"]
        subprocess.run(command, input=statements.encode(), check=True, env=environment)

    def make_database(self) -> None:
        """Make the empty database `pitwarden`; one that is there is lost."""
        self.as_owner("DROP DATABASE IF EXISTS pitwarden WITH (FORCE)", "postgres")
        self.as_owner("CREATE DATABASE pitwarden", "postgres")

    def restart(self, *, tls: bool = True) -> None:
        """Start the server again, with TLS or without."""
        self.server.stop()
        port = self.server.environment["PGPORT"]
        self.server.start(f"-c listen_addresses=127.0.0.1 -c port={port} -c ssl={'on' if tls else 'off'}")

    def session(self, settings: DatabaseSettings | None = None) -> DatabaseSession:
        """Return a connection with the login of the judges."""
        return DatabaseSession(settings or self.settings, "test", 2.0)


@contextmanager
def secured_postgresql(site: Site) -> Iterator[SecuredPostgresql]:
    """Run the server, whose certificate `site` vouches for."""
    with started_postgresql() as server:
        port, secret = FreePort(), site.folder / "db-password"
        secret.write_text(PASSWORD)
        address = f"127.0.0.1:{port.number}"
        made = SecuredPostgresql(server, DatabaseSettings((address,), "pitwarden", JUDGE, secret, site.ca))
        made.as_owner(f"CREATE ROLE {JUDGE} LOGIN PASSWORD '{PASSWORD}'", "postgres")
        made.make_database()
        for name, path in zip(("server.crt", "server.key"), site.certificate("db-a"), strict=True):
            server.put(name, Path(path).read_text(), mode=0o600)
        owner = server.environment["PGUSER"]
        server.put("pg_hba.conf", f"local all {owner} trust\nhostssl pitwarden {JUDGE} 127.0.0.1/32 scram-sha-256\n")
        server.environment["PGPORT"] = str(port.number)
        made.restart()
        yield made

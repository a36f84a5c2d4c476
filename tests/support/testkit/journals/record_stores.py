"""Both stores of a judge's record behind one interface: a file of SQLite, and a database of a group."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final, Protocol

from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.judge_record import JudgeRecord
from pitwarden.judge_group.claims import ClaimBook, TableClaim
from pitwarden.judge_group.group_record import GroupRecord
from pitwarden.judge_group.layout import DDL
from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSettings
from pitwarden_client.events.codec import digest
from testkit.installation.postgresql import PostgresqlServer

TABLES: Final = ("t1", "t2", "t3")
FORGED_BODY: Final = b"x"


class RecordStore(Protocol):
    """Place of a record, which can be opened again and again."""

    async def open(self) -> JudgeRecord:
        """Open the record for TABLES, as a start of the judge does."""
        ...

    async def tamper(self, statement: str) -> None:
        """Change what is stored, as a person can; `{body}` stands for FORGED_BODY, `{hash}` for its hash."""
        ...


class SqliteStore:
    """Store in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def open(self) -> JudgeRecord:
        return await JudgeJournal.open(self._path)

    async def tamper(self, statement: str) -> None:
        with closing(sqlite3.connect(self._path)) as other, other:
            words = statement.format(body=f"X'{FORGED_BODY.hex()}'", hash=f"'{digest(FORGED_BODY)}'")
            other.execute(words.replace("record =", "tbl ="))


class GroupStore:
    """Store in a database, each opening of which claims every table under a new term."""

    def __init__(self, server: PostgresqlServer) -> None:
        place = server.environment
        self.settings = DatabaseSettings((place["PGHOST"],), server.new_database(), place["PGUSER"])
        self._opened = 0

    def session(self, program: str = "test", seconds: float = 2.0) -> DatabaseSession:
        return DatabaseSession(self.settings, program, seconds)

    async def open(self) -> GroupRecord:
        self._opened += 1
        session, run = self.session(), f"run{self._opened}"
        if self._opened == 1:
            await session.script(DDL)
        book = ClaimBook(time.monotonic)
        for table in TABLES:
            (row,) = await session.fetch(
                "INSERT INTO place (tbl, record, term, run) VALUES ($1, $1, 1, $2)"
                " ON CONFLICT (tbl) DO UPDATE SET term = place.term + 1, run = $2 RETURNING record, term",
                table, run,
            )  # fmt: skip
            book.claims[table] = TableClaim(table, row["record"], run, row["term"])
        made = GroupRecord(session, self.session(), book, ("1.0", "0.2.0"))
        for table in TABLES:
            await made.resume(table)
        return made

    async def tamper(self, statement: str) -> None:
        session = self.session()
        await session.fetch(statement.format(body=f"'{FORGED_BODY.decode()}'", hash=f"'{digest(FORGED_BODY)}'"))
        await session.close()

"""Group of judges as one process sees it: its record, its membership, and their connections to the database."""

from collections.abc import Callable

import structlog

from pitwarden.config.models import JudgeGroupSection
from pitwarden.journal.errors import JournalUnreachableError
from pitwarden.judge_group.assignment import JudgeFacts
from pitwarden.judge_group.claims import ClaimBook
from pitwarden.judge_group.directory import GroupDirectory
from pitwarden.judge_group.group_record import GroupRecord
from pitwarden.judge_group.member import GroupMember
from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSessions, DatabaseSettings, check_layout
from pitwarden.rules import RULES_VERSION
from pitwarden.system.version import VERSION

STATEMENT_S = 2.0
READERS = 4
"""Connections that read: the tables of a lost member are folded at the same time."""

_log = structlog.get_logger()


def database_settings(section: JudgeGroupSection) -> DatabaseSettings:
    """Return the servers and the login that the section names."""
    return DatabaseSettings(
        section.addresses, section.database, section.user, section.password_file, section.ca, section.cert, section.key
    )


class JudgeGroup:
    """Membership of one process. `member` must run from `open` until all tables were given back."""

    def __init__(self, section: JudgeGroupSection, machine: str, now_s: Callable[[], float]) -> None:
        """Prepare a member, which has the name of this `machine` unless the section names it.

        `now_s` is the monotonic clock of this process in seconds.
        """
        settings, name = database_settings(section), section.member or machine
        # A renewal is sent at a third of the lease. A slow answer is worth waiting for as long as the lease lasts here:
        # another connection costs more time than it has left.
        renew_s = section.lease_seconds / 2
        self.section = section
        self.book = ClaimBook(now_s)
        commits, lease, claims, *reads = (
            DatabaseSession(settings, f"pitwarden {name} {purpose}", renew_s if purpose == "lease" else STATEMENT_S)
            for purpose in ("commits", "lease", "claims", *("reads",) * READERS)
        )
        self._reads = DatabaseSessions(reads)
        self.record = GroupRecord(self._reads, commits, self.book, (RULES_VERSION, VERSION))
        judge = JudgeFacts(RULES_VERSION, VERSION, takes_older=section.takes_older_rules)
        self.member = GroupMember(
            name, judge, GroupDirectory(lease, claims), self.book, lease_s=float(section.lease_seconds)
        )

    async def open(self) -> None:
        """Check the database. One that is away is waited for later.

        Raises:
            JournalVersionError: Another version of pitwarden made its tables.
            JournalError: A person must correct the login, the rights or the tables.
        """
        try:
            await check_layout(self._reads)
        except JournalUnreachableError as error:
            _log.warning("database not reached yet", reason=str(error))

    async def close(self) -> None:
        """Leave the group, after every table was given back, and close the connections."""
        await self.record.close()
        await self.member.leave()

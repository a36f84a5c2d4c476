"""Errors of a journal, each with its handling policy."""

from typing import Final


class JournalError(Exception):
    """Base class of journal errors. Nothing of the failed transaction was written."""


class JournalFullError(JournalError):
    """The disk, or the file's page limit, has no room left.

    Policy: no numbers, no device acknowledgements, `journal_full` in the status; retry, lose nothing.

    Example: the disk holds another program's core dump; once it is deleted, dealing resumes.
    """


class JournalLockedError(JournalError):
    """Another process holds the file.

    Policy: as for a full disk while running; at start, refuse and name the file.

    Example: a second daemon was started on the same table, or a backup holds a write lock.
    """


class JournalUnwritableError(JournalError):
    """The file system accepts no writes.

    Policy: as for a full disk while running; at start, refuse and name the file.

    Example: the disk was remounted read-only after an I/O error.
    """


class JournalDamagedError(JournalError):
    """The file is not what was written, or cannot be read.

    Policy: quarantine it, continue with a new file, report it to the table.

    Example: after a power loss the file holds NUL bytes only; or one of its sectors has failed.
    """


class JournalVersionError(JournalError):
    """Another version of pitwarden wrote the file.

    Policy: refuse to start; nothing is changed.

    Example: a newer version ran on this table before a roll-back.
    """


class JournalUnreachableError(JournalError):
    """The database of a group of judges does not answer, or its server is not the writable one.

    Policy: as for a full disk while running. A judge whose lease ends meanwhile is silent. At start, wait.

    Example: the primary server crashed, and its standby is promoted half a minute later.
    """


class JournalFencedError(JournalError):
    """Another judge of the group has taken the table over. Nothing was written.

    Policy: publish nothing more about the table, drop its state, and claim it again only when it has no owner.

    Example: the process was stopped for ten seconds, and writes a verdict when it continues.
    """


class JournalOrderError(JournalError):
    """Rows do not continue the journal's head.

    Policy: number them again from the head; at the second failure, stop the process.

    Example: a batch failed on a full disk and the next one was numbered on top of it.
    """


TEMPORARY_ERRORS: Final = (JournalFullError, JournalLockedError, JournalUnwritableError, JournalUnreachableError)
"""Errors that may pass by themselves: retry, lose nothing."""

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


class JournalOrderError(JournalError):
    """Rows do not continue the journal's head.

    Policy: number them again from the head; at the second failure, stop the process.

    Example: a batch failed on a full disk and the next one was numbered on top of it.
    """


TEMPORARY_ERRORS: Final = (JournalFullError, JournalLockedError, JournalUnwritableError)
"""Errors that may pass by themselves: retry, lose nothing."""

"""What can go wrong with a journal; each class's docstring is what its catcher does."""

from typing import Final


class JournalError(Exception):
    """Any fault of a journal. Nothing of the failed transaction was written."""


class JournalFullError(JournalError):
    """No room. Policy: no numbers, no device acknowledgements, `journal_full` in the status; try again, lose nothing.

    Example: the disk holds another program's core dump; once it is deleted, dealing resumes.
    """


class JournalLockedError(JournalError):
    """Somebody else holds the file. Policy: as full while running; at start, refuse and name the file.

    Example: a second daemon was started on the same table, or a backup holds a write lock.
    """


class JournalUnwritableError(JournalError):
    """The file system takes nothing. Policy: as full while running; at start, refuse and name the file.

    Example: the disk was remounted read-only after an I/O error.
    """


class JournalDamagedError(JournalError):
    """The file is not what was written, or cannot be read. Policy: set it aside, start afresh, tell the table.

    Example: after a power loss the file holds NUL bytes only; or a sector of it has gone bad.
    """


class JournalVersionError(JournalError):
    """Another version of pitwarden wrote the file. Policy: refuse to start; nothing is touched.

    Example: a newer version ran on this table before a roll-back.
    """


class JournalOrderError(JournalError):
    """Rows do not continue the journal's head. Policy: number again from the head; a second time, stop the process.

    Example: a batch failed for want of room and the next one was numbered on top of it.
    """


TEMPORARY_ERRORS: Final = (JournalFullError, JournalLockedError, JournalUnwritableError)
"""What may pass by itself: try again, lose nothing."""

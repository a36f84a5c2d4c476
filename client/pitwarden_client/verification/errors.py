"""Errors of seals and signatures, each with its handling policy."""


class SealUnreadableError(Exception):
    """A seal, a wrapped key or a signature is not valid.

    The message names the row, never the content of the seal.

    Policy: report `seal.unreadable`, HOLD, continue. A consumer that only checks signatures drops the row.

    Example: a row was sealed under a key that was never announced to this judge.
    """

"""Errors of key files and snapshots, each with its handling policy."""


class KeyFileError(Exception):
    """A key file is missing, readable by others, or not a key.

    Policy: refuse to start, with the sentence as it is.

    Example: `/etc/pitwarden/judge.key` has mode 0644.
    """


class SnapshotTooLargeError(ValueError):
    """A snapshot does not fit its constant length.

    Policy: keep the last one, evaluate from there at a restart, warn once.

    Example: a judge of a table with an absurd number of open irregularities.
    """

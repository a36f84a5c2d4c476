"""What can go wrong with seals, keys and signatures; each class's docstring is what its catcher does."""


class SealUnreadableError(Exception):
    """A seal, a wrapped key or a signature is not what it should be. Policy: say `seal.unreadable`, HOLD, go on.

    Example: a row was sealed under a key that was never announced to this judge. The message names the row, never
    what the seal held.
    """


class KeyFileError(Exception):
    """A key file is missing, readable by others, or not a key. Policy: refuse to start, with the sentence as it is.

    Example: `/etc/pitwarden/judge.key` has mode 0644.
    """


class SnapshotTooLargeError(ValueError):
    """A snapshot does not fit its constant length. Policy: keep the last one, fold from there, warn once.

    Example: a judge of a table with an absurd number of open irregularities.
    """

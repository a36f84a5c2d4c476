"""Errors of the console. Each sentence names the object, the reason and the remedy."""


class ConsoleError(Exception):
    """The console cannot continue.

    Policy: print the sentence and end with exit code 1; the service manager starts it again.

    Example: the port is in use by another program.
    """


class ConsoleSettingsError(ConsoleError):
    """The console file is refused.

    Policy: print the sentence and end with exit code 78; a restart would change nothing.

    Example: `console.toml: site.zone: 'New York' is no time zone`.
    """


class StoreError(ConsoleError):
    """The database cannot be used.

    Policy: at the start, end with exit code 1. While running, the pages report that history is behind and the write is
    repeated.

    Example: the disk is full.
    """

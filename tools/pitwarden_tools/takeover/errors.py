"""Errors of the tool, each with its handling policy."""


class TakeoverError(Exception):
    """The experiment cannot be made here.

    Policy: print the sentence and end without a result.

    Example: no PostgreSQL is installed.
    """

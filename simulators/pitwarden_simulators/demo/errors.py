"""Errors of a demo. The command prints the sentence and ends with a nonzero code."""


class DemoError(Exception):
    """The night did not reach its end. Policy: stop everything, print the sentence, exit code 1.

    Example: the service ended, or no permit was granted in time.
    """


class DemoRefused(Exception):  # noqa: N818  a refusal of the request, as in ConfigError
    """The request is not allowed. Policy: print the sentence, exit code 2. Example: a broker not on loopback."""

"""What can go wrong with a demo; the command says the sentence and ends with a code that is not zero."""


class DemoError(Exception):
    """The night could not be played to its end. Policy: stop everything, say the sentence, exit code 1.

    Example: the service ended, or people waited for a permit in vain.
    """


class DemoRefused(Exception):  # noqa: N818  it is a refusal of what was asked, as in ConfigError
    """What was asked for is not done. Policy: say the sentence, exit code 2. Example: a broker not on loopback."""

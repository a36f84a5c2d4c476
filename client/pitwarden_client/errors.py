"""Errors that end the client, each with its handling policy."""


class ClientError(Exception):
    """Base class of errors that end the client. It recovers from lost links, silence and gaps by itself."""


class UnsupportedVersionError(ClientError):
    """The table publishes only schema versions that this client does not know.

    Policy: report it, and update the client.

    Example: the daemon was replaced by one that publishes under pitwarden/v2 only.
    """

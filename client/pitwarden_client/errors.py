"""What a client cannot go on from; each class's docstring is what its catcher does."""


class ClientError(Exception):
    """The client ends. Everything else (lost links, silence, gaps) it heals by itself."""


class UnsupportedVersionError(ClientError):
    """The table speaks only schema versions that this client does not know. Policy: say so, and update the client.

    Example: the daemon was replaced by one that publishes under pitwarden/v2 alone.
    """

"""Ports for brokers and servers of this machine that are started, killed and started again."""

import os
import socket
import weakref


class FreePort:
    """A port of loopback that nobody else is given as long as this lives, also while nobody listens there.

    A socket that is bound and does not listen keeps it; whoever listens sets SO_REUSEADDR, as mosquitto does.
    """

    def __init__(self) -> None:
        with socket.socket() as kept:
            kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            kept.bind(("127.0.0.1", 0))
            self.number = int(kept.getsockname()[1])
            weakref.finalize(self, os.close, kept.detach())

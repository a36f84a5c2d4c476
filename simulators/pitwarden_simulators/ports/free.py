"""TCP ports for brokers and servers of this machine that are started, killed and started again."""

import os
import socket
import weakref


class FreePort:
    """Loopback port that is reserved while this object lives, also while no server listens.

    A bound socket that does not listen reserves it; the server sets SO_REUSEADDR, as mosquitto does.
    """

    def __init__(self) -> None:
        with socket.socket() as kept:
            kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            kept.bind(("127.0.0.1", 0))
            self.number = int(kept.getsockname()[1])
            weakref.finalize(self, os.close, kept.detach())

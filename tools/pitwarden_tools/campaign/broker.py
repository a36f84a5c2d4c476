"""Real mosquitto on a free loopback port, which can be killed, frozen and started again."""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from pitwarden_simulators.ports.free import FreePort

_READY_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.02


class BrokerError(Exception):
    """The broker does not start. Policy: print the sentence and end."""


class Broker:
    """Mosquitto process. `config` lines are added to a listener that stores nothing over a restart."""

    def __init__(self, program: str, folder: Path, config: Sequence[str] = ("allow_anonymous true",)) -> None:
        self._free = FreePort()
        self.port = self._free.number
        self._program, self._folder, self._config = program, folder, tuple(config)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self, config: Sequence[str] | None = None) -> None:
        """Start the broker, with other `config` lines if given; return once it accepts connections.

        Raises:
            BrokerError: It does not start.
        """
        if config is not None:
            self._config = tuple(config)
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / "mosquitto.conf"
        account = "root" if os.geteuid() == 0 else ""
        lines = [
            f"listener {self.port} 127.0.0.1",
            "set_tcp_nodelay true",
            "max_queued_messages 1000000",
            *self._config,
        ]
        path.write_text("\n".join([*lines, f"user {account}" if account else ""]) + "\n")
        try:
            with (self._folder / "mosquitto.log").open("ab") as log:
                self._process = subprocess.Popen(  # noqa: S603  the program is the caller's choice
                    [self._program, "-c", path], stdout=log, stderr=log
                )
        except OSError as error:
            raise BrokerError(f"{self._program}: cannot be started: {error.strerror}. Install mosquitto") from None
        self._wait_until_ready(self._process)

    @property
    def pid(self) -> int:
        """Process id; RuntimeError when it is not running."""
        if self._process is None:
            raise RuntimeError("the broker is not running")
        return self._process.pid

    def kill(self) -> None:
        """Send SIGKILL, also when it is frozen; return once it has ended."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Send SIGSTOP: connections stay open without an answer."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Send SIGCONT."""
        self._signal(signal.SIGCONT)

    def reload(self) -> None:
        """Send SIGHUP: the broker reads password and ACL files again."""
        self._signal(signal.SIGHUP)

    def log(self) -> str:
        """Return its log so far."""
        return (self._folder / "mosquitto.log").read_text()

    def _signal(self, number: signal.Signals) -> None:
        if self._process is None:
            raise RuntimeError("the broker is not running")
        self._process.send_signal(number)

    def _wait_until_ready(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait until the broker accepts connections.

        Connecting to a closed loopback port fails at once, so the poll of the process paces the attempts. Listeners
        open one
        after the other, in the order of the file: the last one is probed.
        """
        *_, last = self.port, *(int(line.split()[1]) for line in self._config if line.startswith("listener "))
        for _ in range(int(_READY_SECONDS / _POLL_SECONDS)):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", last), timeout=1):
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_POLL_SECONDS)
                raise BrokerError(f"mosquitto ended at once: {self.log()}")
        raise BrokerError(f"mosquitto was not ready within {_READY_SECONDS} s")

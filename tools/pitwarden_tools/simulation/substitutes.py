"""Substitutes of a simulated machine, in place of threads, random names, connections and the allocation of disk space.

These are the only places where the code of the service is replaced.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from random import Random
from unittest.mock import patch

import structlog

from pitwarden.journal.database import Database
from pitwarden_tools.simulation.broker import SimulatedBroker
from pitwarden_tools.simulation.files import OK
from pitwarden_tools.simulation.process import PROCESS
from pitwarden_tools.simulation.worker import InlineWorker, SimulatedWorker


class SeededNames:
    """Substitute for `secrets` where epochs and keys get their names."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def token_hex(self, size: int) -> str:
        """Return a seeded name, like `secrets.token_hex`."""
        return self._random.randbytes(size).hex()


@contextlib.contextmanager
def substituted(broker: SimulatedBroker, random: Random) -> Iterator[None]:
    """Let the service run on the simulated machine, without log lines."""
    honest_allocation, honest_opening = os.posix_fallocate, Database.__init__

    def allocate(descriptor: int, offset: int, size: int) -> None:
        if PROCESS.get().disk_error != OK:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        honest_allocation(descriptor, offset, size)

    def open_database(database: Database, *args: object, **named: object) -> None:
        honest_opening(database, *args, **named)  # type: ignore[arg-type]  # those of the constructor
        PROCESS.get().databases.append(database)

    names = SeededNames(random)
    with (
        patch("pitwarden.bus.link.Connection", broker.connection),
        patch("pitwarden.bus.link.secrets", names),
        patch("pitwarden.field.log.epochs.secrets", names),
        patch("pitwarden.journal.field_journal.JournalThread", SimulatedWorker),
        patch("pitwarden.journal.judge_journal.JournalThread", SimulatedWorker),
        patch("pitwarden.journal.maintenance.JournalThread", InlineWorker),
        patch("os.posix_fallocate", allocate),
        patch.object(Database, "__init__", open_database),
        _silent(),
    ):
        yield


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Discard log lines: they would take most of the time."""
    before = structlog.get_config()
    structlog.configure(processors=[_dropped], cache_logger_on_first_use=False)
    try:
        yield
    finally:
        structlog.configure(**before)


def _dropped(_logger: object, _name: str, _event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    raise structlog.DropEvent

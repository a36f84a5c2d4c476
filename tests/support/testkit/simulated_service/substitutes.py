"""Substitutes in a simulated night: threads of journals, random names, the log's file, the broker."""

import contextlib
import logging
import os
import random
from collections.abc import Callable, Iterator
from typing import TypeVar
from unittest.mock import patch

import structlog

from pitwarden.system.logging_setup import LogRateLimiter, configure_logging
from pitwarden_tools.simulation.substitutes import SeededNames
from pitwarden_tools.simulation.worker import InlineWorker
from testkit.brokers.memory_broker import MemoryBroker

T = TypeVar("T")
Line = Callable[[str], None]


@contextlib.contextmanager
def substituted(bus: MemoryBroker, line: Line, seed: str) -> Iterator[None]:
    """Connect the links to `bus`, journals inline, seeded names, and each log line at DEBUG to `line`."""
    with (
        patch("pitwarden.bus.link.Connection", bus.connection),
        patch("pitwarden.journal.field_journal.JournalThread", InlineWorker),
        patch("pitwarden.journal.judge_journal.JournalThread", InlineWorker),
        patch("pitwarden.journal.maintenance.JournalThread", InlineWorker),
        patch("pitwarden.field.log.epochs.secrets", _named(seed)),
        _logged(line),
    ):
        yield


def _named(seed: str) -> SeededNames:
    return SeededNames(random.Random(seed))  # noqa: S311  names only; keys and blinds stay random


@contextlib.contextmanager
def _logged(line: Line) -> Iterator[None]:
    """Install the service's own log configuration without its thread and the times; and the standard library's."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    configure_logging(nowhere, "debug").close()
    os.close(nowhere)
    ours = structlog.get_config()
    timely = (structlog.processors.TimeStamper, LogRateLimiter)
    timeless = [each for each in ours["processors"] if not isinstance(each, timely)]
    structlog.configure(processors=timeless, logger_factory=lambda *_: _Lines(line))
    root, handler = logging.getLogger(), _Handler(line)
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
        structlog.reset_defaults()


class _Lines:
    def __init__(self, line: Line) -> None:
        self.msg = line
        self.debug = self.info = self.warning = self.error = self.critical = self.exception = line


class _Handler(logging.Handler):
    def __init__(self, line: Line) -> None:
        super().__init__(logging.DEBUG)
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        self._line(f"{record.name} {record.levelname} {record.getMessage()}")

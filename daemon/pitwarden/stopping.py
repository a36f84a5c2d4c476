"""How a service is asked to stop, and how long it has for that."""

import asyncio
import contextlib
import signal
from collections.abc import Iterator, Mapping
from typing import Final

STOP_S: Final = 4.5  # below every manager's patience; what is not committed by then its device still keeps


@contextlib.contextmanager
def signals(events: Mapping[signal.Signals, asyncio.Event]) -> Iterator[None]:
    """Each signal sets its event; a second one changes nothing."""
    loop = asyncio.get_running_loop()
    for number, event in events.items():
        loop.add_signal_handler(number, event.set)
    try:
        yield
    finally:
        for number in events:
            loop.remove_signal_handler(number)

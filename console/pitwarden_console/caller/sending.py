"""Sending of one call through the notification library. No other file knows it."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Final

from apprise import Apprise

# Its own log lines hold the addresses of services, which are secrets.
logging.getLogger("apprise").setLevel(logging.CRITICAL)
_UNKNOWN: Final = "no such recipient is in the caller's file"
_REFUSED: Final = "the service did not take it"


class Sender:
    """Sender to the recipients of the caller's file."""

    def __init__(self, urls: Mapping[str, tuple[str, ...]]) -> None:
        self._services: dict[str, Apprise] = {}
        self.invalid: list[str] = []
        """Recipients with an address that the library does not know."""
        for name, addresses in urls.items():
            made = Apprise()
            if not all(made.add(address) for address in addresses):
                self.invalid.append(name)
            self._services[name] = made

    async def send(self, recipient: str, title: str, text: str) -> str:
        """Return an empty text once each service of the recipient took the call, else the reason."""
        service = self._services.get(recipient)
        if service is None:
            return _UNKNOWN
        taken = await asyncio.to_thread(_notify, service, title, text)
        return "" if taken else _REFUSED


def _notify(service: Apprise, title: str, text: str) -> bool:
    # One by one: the library's own way for several keeps a pool of threads for the life of the process.
    taken = [one.notify(body=text, title=title) for one in service]
    return all(taken)

"""Certificates looked at once an hour: what ends within 30, 7 or 1 days is said in the status, once a change."""

from collections.abc import Callable
from typing import Final, Never, Protocol

import structlog
from pitwarden_client.mqtt.settings import BrokerSettings

from pitwarden.bus.certificates import warnings
from pitwarden.system.clock import Clock
from pitwarden.system.tasks import hourly

FIRST_S: Final = 5.0  # by then the link is up, as a rule, and the broker has shown its own

_log = structlog.get_logger()


class Certified(Protocol):
    """Link whose certificates are watched."""

    @property
    def broker(self) -> BrokerSettings:
        """Settings that name the certificate files; a reload replaces them."""
        ...

    def peer_ends_ms(self) -> int | None:
        """Return when the broker's certificate expires, UTC in ms; None without TLS, or while the link is down."""
        ...


class Expiry:
    """Of the certificates of one link. `say` gets all that there is to warn of, each time that it changed."""

    def __init__(self, link: Certified, clock: Clock, say: Callable[[tuple[str, ...]], None]) -> None:
        self._link, self._clock, self._say = link, clock, say
        self._said: tuple[str, ...] = ()

    async def run(self) -> Never:
        """Looks, for ever."""
        await hourly(FIRST_S, self.look)

    async def look(self) -> None:
        """One look."""
        found = warnings(self._link.broker, self._link.peer_ends_ms(), self._clock.utc().utc_ms)
        if found != self._said:
            self._said = found
            for text in found:
                _log.warning("certificate", reason=text)
            self._say(found)

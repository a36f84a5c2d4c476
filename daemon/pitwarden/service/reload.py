"""Reload of the table file: which changes apply at once, and which need a restart, by name."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import structlog

from pitwarden.bus.link import Link
from pitwarden.config.broker_addresses import broker_addresses
from pitwarden.config.models import TableFile
from pitwarden.system.service_manager import SystemdNotifier
from pitwarden_client.mqtt.settings import BrokerSettings

_log = structlog.get_logger()

Reread = Callable[[], TableFile | None]
"""Function that reads the table file again; None after it was refused and its problems were printed."""


def broker_settings(file: TableFile) -> BrokerSettings:
    """Return the addresses and credentials of the broker that the table file names."""
    broker = file.broker
    first, *further = broker_addresses(broker)
    return BrokerSettings(
        host=first.host,
        port=first.port,
        username=broker.username,
        password_file=broker.password_file,
        ca=broker.ca,
        cert=broker.cert,
        key=broker.key,
        keepalive=broker.keepalive,
        protocol=broker.protocol,
        further=tuple(further),
        order=broker.order,
        subscribe_qos=broker.subscribe_qos,
        answer_seconds=broker.answer_seconds,
    )


# The watchdog's patience was counted from these when the service started.
FIXED_BROKER_KEYS: Final = ("keepalive", "answer_seconds")


class ReloadHandler:
    """Handler of reloads. It reconnects the links of a running service, and records what needs a restart."""

    def __init__(
        self,
        file: TableFile,
        notifier: SystemdNotifier,
        reread: Reread | None,
        reopen: Callable[[], None],
    ) -> None:
        """Prepare reloads of `file`. `reopen` is called to open other files again, such as certificates."""
        self._reopen = reopen
        self._running, self._notifier, self._reread = file, notifier, reread
        self._links: list[Link] = []
        self._broker: BrokerSettings | None = None
        self._waiting: tuple[str, ...] = ()
        self._refused = False

    def add(self, link: Link) -> None:
        """Reload `link` too, from now on. A link added after a reload receives its settings."""
        self._links.append(link)
        if self._broker is not None:
            link.reconnect(self._broker)

    def status_lines(self) -> list[str]:
        """Return the lines that report a refused reload or a necessary restart."""
        if self._refused:
            return ["RELOAD REFUSED: see the log"]
        return [f"RESTART NEEDED for {', '.join(self._waiting)}"] if self._waiting else []

    async def run(self, hangup: asyncio.Event, shown: Callable[[], str]) -> None:
        """Reload whenever `hangup` is set, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await hangup.wait()
            hangup.clear()
            self._notifier.reloading(round(loop.time() * 1_000_000))
            await self._reload()
            self._notifier.ready(shown())

    async def _reload(self) -> None:
        file = None if self._reread is None else await asyncio.to_thread(self._reread)
        self._refused = file is None
        if file is None:
            _log.error("reload refused", reason="the table file is not valid: the old one stays in force")
            return
        running = broker_settings(self._running)
        self._broker = replace(
            broker_settings(file), keepalive=running.keepalive, answer_seconds=running.answer_seconds
        )
        for link in self._links:
            link.reconnect(self._broker)
        self._reopen()
        self._waiting = tuple(_waiting(self._running, file))
        _log.info("reloaded", applied="broker, certificates, password", restart_needed=", ".join(self._waiting))


def _waiting(running: TableFile, file: TableFile) -> list[str]:
    """Return the sections or keys that differ and that only a restart applies."""
    fixed = [name for name in TableFile.model_fields if name != "broker"]
    names = [name for name in fixed if getattr(running, name) != getattr(file, name)]
    keys = [key for key in FIXED_BROKER_KEYS if getattr(running.broker, key) != getattr(file.broker, key)]
    return [*names, *(f"broker.{key}" for key in keys)]

"""Addresses of the broker, and our credentials.

The files are read again for each connection, so that renewals take effect.
"""

import ssl
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from pitwarden_client.mqtt.addresses import PORT, BrokerAddress
from pitwarden_client.mqtt.errors import AccessRefusedError

ANSWER_SECONDS: Final = 4.0
"""Default of `answer_seconds`."""


@dataclass(frozen=True, slots=True)
class BrokerSettings:
    """Broker and credentials.

    `keepalive` is in seconds; `ca` switches TLS on, `cert` and `key` are our own certificate. `further` addresses lead
    to the same broker, its cluster or its bridge. All are tried in turn, from the first or from a random one (`order`).

    The broker must answer a connection, or a subscription, within `answer_seconds`. `subscribe_qos` is the highest
    quality of service at which messages are received; those that are sent always have 1.

    A broker with MQTT 3.1.1 only cannot report that it refuses a message: it acknowledges and discards it. Then only
    our own acknowledgements show that nothing arrives (the judge's position does not advance).
    """

    host: str
    port: int = PORT
    username: str | None = None
    password_file: Path | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    keepalive: int = 5
    protocol: Literal["5", "3.1.1"] = "5"
    further: tuple[BrokerAddress, ...] = ()
    order: Literal["listed", "random"] = "listed"
    subscribe_qos: Literal[0, 1] = 1
    answer_seconds: float = ANSWER_SECONDS

    @property
    def address(self) -> BrokerAddress:
        """First address."""
        return BrokerAddress(self.host, self.port)

    @property
    def addresses(self) -> tuple[BrokerAddress, ...]:
        """All addresses, in the order in which they are written."""
        return (self.address, *self.further)

    def at(self, address: BrokerAddress) -> "BrokerSettings":
        """Return the settings for this address alone."""
        return replace(self, host=address.host, port=address.port, further=())

    @property
    def silence_s(self) -> float:
        """Seconds that a publish may wait before a broker that died silently counts as lost."""
        # Two missed keepalives; then two connections and a subscription are waited for.
        return self.keepalive * 2 + 3 * self.answer_seconds

    def password(self) -> str | None:
        """Return the password as the file contains it now, or None.

        Raises:
            AccessRefusedError: The file cannot be read.
        """
        if self.password_file is None:
            return None
        try:
            return self.password_file.read_text(encoding="utf-8-sig").rstrip("\n")  # without a byte order mark
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise AccessRefusedError(f"{self.password_file}: the broker's password cannot be read: {reason}") from error

    def tls(self) -> ssl.SSLContext | None:
        """Return a context that verifies the broker, from the files as they are now; None without TLS.

        Raises:
            AccessRefusedError: A file cannot be read or is not valid.
        """
        if self.ca is None:
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.cert is not None:
                context.load_cert_chain(self.cert, self.key)
        except (OSError, ssl.SSLError) as error:
            raise AccessRefusedError(f"TLS for {self.address} cannot be set up: {error}") from error
        return context

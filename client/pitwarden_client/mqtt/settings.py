"""Address of the broker, and our credentials.

The files are read again for each connection, so that renewals take effect.
"""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pitwarden_client.mqtt.errors import AccessRefusedError


@dataclass(frozen=True, slots=True)
class BrokerSettings:
    """Broker and credentials.

    `keepalive` is in seconds; `ca` switches TLS on, `cert` and `key` are our own certificate.

    A broker with MQTT 3.1.1 only cannot report that it refuses a message: it acknowledges and discards it. Then only
    our own acknowledgements show that nothing arrives (the judge's position does not advance).
    """

    host: str
    port: int = 1883
    username: str | None = None
    password_file: Path | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    keepalive: int = 5
    protocol: Literal["5", "3.1.1"] = "5"

    @property
    def silence_s(self) -> float:
        """Seconds that a publish may wait before a broker that died silently counts as lost."""
        return self.keepalive * 2 + 12.0  # two missed keepalives; opening both connections is bounded by 12

    def password(self) -> str | None:
        """Return the password as the file contains it now, or None.

        Raises:
            AccessRefusedError: The file cannot be read.
        """
        if self.password_file is None:
            return None
        try:
            return self.password_file.read_text(encoding="utf-8").rstrip("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise AccessRefusedError(f"{self.password_file}: the broker's password cannot be read: {error}") from error

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
            raise AccessRefusedError(f"TLS for {self.host}:{self.port} cannot be set up: {error}") from error
        return context

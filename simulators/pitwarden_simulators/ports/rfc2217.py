"""Simulated device behind an RFC 2217 server, which sees the line settings that a pty hides."""

import asyncio
from dataclasses import dataclass, field

import serial.rfc2217

from pitwarden.system.clock import Clock
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.ports.tcp import TcpPort


@dataclass
class FarLine:
    """Settings of the client: the attributes that pyserial's server side sets on a serial port."""

    baudrate: int = 9_600
    bytesize: int = 8
    parity: str = "N"
    stopbits: float = 1
    xonxoff: bool = False
    rtscts: bool = False
    dsrdtr: bool = False
    dtr: bool = False
    rts: bool = False
    break_condition: bool = False
    cts: bool = True
    dsr: bool = True
    ri: bool = False
    cd: bool = True
    purged: list[str] = field(default_factory=list)

    def reset_input_buffer(self) -> None:
        """Record that the client purged its input."""
        self.purged.append("input")

    def reset_output_buffer(self) -> None:
        """Record that the client purged its output."""
        self.purged.append("output")

    def get_settings(self) -> dict[str, object]:
        """Return the settings, as the server side would restore them."""
        return {}

    def apply_settings(self, _settings: dict[str, object]) -> None:
        """Do nothing: there is nothing to restore."""


class Rfc2217Port(TcpPort):
    """Server on 127.0.0.1 that implements Telnet with the COM-port option."""

    def __init__(self, device: SimulatedDevice, clock: Clock) -> None:
        super().__init__(device, clock)
        self.line = FarLine()
        self._manager: serial.rfc2217.PortManager | None = None

    @property
    def url(self) -> str:
        """URL of the server: `rfc2217://` and the address."""
        return super().url.replace("socket://", "rfc2217://")

    def came(self, client: asyncio.Transport) -> None:
        """Handle a new client with a new negotiation."""
        self._manager = serial.rfc2217.PortManager(self.line, client)  # type: ignore[arg-type]  # it only sets attributes and writes
        super().came(client)

    def heard(self, data: bytes) -> None:
        """Process bytes: negotiation is answered, the rest goes to the device."""
        if self._manager is not None:
            plain = b"".join(self._manager.filter(data))
            if plain:
                super().heard(plain)

    def _send(self, data: bytes) -> None:
        if self._manager is not None:
            super()._send(b"".join(self._manager.escape(data)))

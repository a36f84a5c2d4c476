"""Whether a device is online, stale or lost (B19): said once a change, on monotonic time, and only from here."""

from typing import Final, Literal, Protocol

from pitwarden_client.events.device import IDENTITY_MISMATCH, DeviceHealth

from pitwarden_drivers.faults import (
    DeviceFault,
    DeviceSilent,
    IdentityMismatch,
    LinkLost,
    NotAccepting,
    PortBusy,
    PortUnavailable,
    PortUnsuitable,
)

CODES: Final[dict[type[DeviceFault], str]] = {
    PortUnavailable: "port_unavailable",
    PortBusy: "port_busy",
    PortUnsuitable: "port_unsuitable",
    LinkLost: "link_lost",
    IdentityMismatch: IDENTITY_MISMATCH,
    DeviceSilent: "device_silent",
    NotAccepting: "device_not_accepting",
}
"""The word with which the reason of a lost device begins."""

_MAX_REASON: Final = 500


class HealthSink(Protocol):
    """Receiver of changes of the health of devices."""

    def health(self, device: str, health: DeviceHealth) -> None:
        """Handle a change of the health of `device`."""
        ...


class Health:
    """The health of `device`. A lost device is reported again only when the kind of reason changes."""

    def __init__(self, device: str, sink: HealthSink) -> None:
        self._device, self._sink = device, sink
        self._last: tuple[str, str] | None = None

    def online(self) -> bool:
        """Note that the device is identified and sends; return whether that is a change."""
        return self._change("online", "identified", "the device is identified and heard")

    def stale(self, silent_ms: int) -> None:
        """The device was identified, and now nothing good comes."""
        self._change("stale", "silent", f"nothing heard for {silent_ms} ms: see the cable and the device")

    def lost(self, fault: DeviceFault) -> None:
        """There is no device to believe."""
        code = CODES.get(type(fault), "device_fault")
        self._change("lost", code, str(fault))

    def _change(self, state: Literal["online", "stale", "lost"], code: str, words: str) -> bool:
        changed = self._last != (state, code)
        if changed:
            self._last = state, code
            clean = "".join(letter if letter.isprintable() else "?" for letter in f"{code}: {words}")
            self._sink.health(self._device, DeviceHealth(state=state, reason=clean[:_MAX_REASON]))
        return changed

"""Tells a second client with our id from a broker that comes and goes, where the broker does not say.

The adversary is a cloned controller. mosquitto before 2.0.12 closes a session that is taken over without a reason.
"""

from typing import Final

from pitwarden_client.mqtt.errors import LinkDownError, TakenOverError

SHORT_SECONDS: Final = 2.0
SHORT_SESSIONS: Final = 3
STEADY_SECONDS: Final = 60.0  # two clients that both retry slowly look steady for as long as they wait


class TwinWatch:
    """The lengths of the sessions of one client id, one after the other."""

    def __init__(self, client_id: str) -> None:
        self._client_id = client_id
        self._short = 0

    def told_apart(self, fault: Exception, lasted: float) -> Exception:
        """The `fault` that ended a session of `lasted` seconds; TakenOverError when several ended right away."""
        if lasted < SHORT_SECONDS:
            self._short += 1
        elif self._short < SHORT_SESSIONS or lasted > STEADY_SECONDS:
            self._short = 0
        if self._short < SHORT_SESSIONS or not isinstance(fault, LinkDownError):
            return fault
        return TakenOverError(f"{self._short} sessions ended at once: another client may use the id {self._client_id}")

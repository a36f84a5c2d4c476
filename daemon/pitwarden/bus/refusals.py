"""What the broker's reason codes mean to whoever connects."""

from typing import Final

from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.reasoncodes import ReasonCode

from pitwarden.bus.faults import AccessRefusedError, BusError, LinkDownError, TakenOverError

REFUSED_FROM: Final = 0x80
_TAKEN_OVER: Final = 0x8E
_NO_MQTT_5: Final = 0x84
_NO_ENTRY: Final = frozenset({0x84, 0x85, 0x86, 0x87, 0x8A, 0x8C})  # protocol, client id, login, rights, ban, method


def connect_fault(error: MqttConnectError, where: str) -> BusError:
    """Why the broker at `where` did not let us in."""
    code = error.rc.value if isinstance(error.rc, ReasonCode) else error.rc
    if code == _NO_MQTT_5:
        return AccessRefusedError(f'{where} has no MQTT 5: write protocol = "3.1.1" under [broker] in the table file')
    if code in _NO_ENTRY:
        return AccessRefusedError(f"{where} does not let us in: {error}. Check the login and its rights there")
    return LinkDownError(f"{where} refused the connection: {error}")


def disconnect_fault(reason: ReasonCode) -> BusError:
    """Why a connection that stood has ended."""
    code = int(reason.value)
    if code == _TAKEN_OVER:
        return TakenOverError("another client connected under our client id")
    if code in _NO_ENTRY:
        return AccessRefusedError(f"the broker ended the connection: {reason}")
    return LinkDownError(f"the connection was lost: {reason}")

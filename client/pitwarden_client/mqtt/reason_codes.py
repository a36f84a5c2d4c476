"""MQTT reason codes as errors. Codes are those of MQTT 5.0, sections 3.2.2.2 (CONNACK) and 3.14.2.1 (DISCONNECT)."""

from typing import Final

from pitwarden_client.mqtt.errors import (
    AccessRefusedError,
    BusError,
    LinkDownError,
    PublishRefusedError,
    SubscriptionFailedError,
    TakenOverError,
)

# Reason codes from here on are failures, of whichever packet.
REFUSED_FROM: Final = 0x80
_UNEXPLAINED: Final = 0x80
_TAKEN_OVER: Final = 0x8E
_NO_MQTT_5: Final = 0x84
# Unsupported protocol, client id, login, authorization, ban, authentication method: a person has to act.
_NO_ENTRY: Final = frozenset({0x84, 0x85, 0x86, 0x87, 0x8A, 0x8C})


def connect_error(code: int | None, text: str, where: str) -> BusError:
    """Return the error for a connection that the broker at `where` refused.

    Args:
        code: Reason code of the CONNACK; None when the library gave none.
        text: The library's text for it.
        where: Host and port.
    """
    if code == _NO_MQTT_5:
        return AccessRefusedError(f'{where} has no MQTT 5: write protocol = "3.1.1" under [broker] in the table file')
    if code in _NO_ENTRY:
        return AccessRefusedError(f"{where} does not let us in: {text}. Check the login and its rights there")
    return LinkDownError(f"{where} refused the connection: {text}")


def disconnect_error(code: int | None, text: str) -> BusError:
    """Return the error for an established connection that ended with this reason code and the library's `text`."""
    if code == _TAKEN_OVER:
        return TakenOverError("another client connected under our client id")
    if code in _NO_ENTRY:
        return AccessRefusedError(f"the broker ended the connection: {text}")
    return LinkDownError(f"the connection was lost: {text}")


def subscription_error(code: int, topic_filter: str) -> PublishRefusedError | None:
    """Return the error for a subscription to `topic_filter` that was answered with `code`; None if it was accepted."""
    if code < REFUSED_FROM:
        return None
    if code == _UNEXPLAINED:
        return SubscriptionFailedError(f"the broker refuses the subscription to {topic_filter} and names no reason")
    return PublishRefusedError(f"the broker refuses the subscription to {topic_filter}")

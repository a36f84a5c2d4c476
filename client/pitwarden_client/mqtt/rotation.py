"""Order in which a link tries the addresses of its broker, and how long it waits between two attempts.

Addresses are tried in turn. The wait grows only after a whole round of them has failed, since the next address may be
a healthy one. An address that refuses us is left out until its time is over: a person must act there, and frequent
attempts get a client banned. Time is an argument.

Threat: hundreds of links that lose one broker at the same moment, and a broker that refuses a subscription because it
elects a leader, which resembles an access list.
"""

import random
from collections.abc import Callable
from typing import Final

from pitwarden_client.backoff import RetryPolicy
from pitwarden_client.mqtt.addresses import BrokerAddress
from pitwarden_client.mqtt.errors import (
    AccessRefusedError,
    BusError,
    ProtocolViolationError,
    PublishRefusedError,
    SubscriptionFailedError,
    TakenOverError,
)
from pitwarden_client.mqtt.settings import BrokerSettings

# The next address is not tried at once: what hit one broker may pass, and all its clients come at the same time.
BETWEEN_SECONDS: Final = (0.1, 0.25)
# MQTT 3.1.1 has one code for each failed subscription. An election of a cluster passes within two attempts or so; an
# access list does not.
UNEXPLAINED: Final = 3
_draw: Final = random.SystemRandom().random
_REFUSALS: Final = (AccessRefusedError, ProtocolViolationError, PublishRefusedError)


class AddressRotation:
    """Addresses of `broker` in turn, and what is known about each: refusals, and failed subscriptions in a row.

    `draw` returns floats in [0, 1).
    """

    def __init__(self, broker: BrokerSettings, retry: RetryPolicy, draw: Callable[[], float] = _draw) -> None:
        self._broker, self._retry, self._draw = broker, retry, draw
        self._addresses = broker.addresses
        self._next = int(draw() * len(self._addresses)) if broker.order == "random" else 0
        self._failed = 0
        self._barred: dict[BrokerAddress, float] = {}
        self._unexplained: dict[BrokerAddress, int] = {}

    @property
    def address(self) -> BrokerAddress:
        """Address of the next attempt."""
        return self._addresses[self._next]

    @property
    def settings(self) -> BrokerSettings:
        """Settings of the next attempt."""
        return self._broker.at(self.address)

    def succeeded(self) -> None:
        """Record that the link is up at this address."""
        self._failed = 0
        self._barred.pop(self.address, None)
        self._unexplained.pop(self.address, None)
        self._retry.succeeded()

    def failed(self, fault: BusError, now: float) -> float:
        """Record that the attempt, or the link, at this address ended with `fault`, and choose the next address.

        Args:
            fault: Reason of the end.
            now: Monotonic time in seconds.

        Returns:
            Seconds to wait before the next attempt.
        """
        if isinstance(fault, TakenOverError):  # another client has our id, at whichever address
            return self._retry.after_refusal()
        if self._is_refusal(fault):
            self._barred[self.address] = now + self._retry.after_refusal()
        else:
            self._failed += 1
        open_ones = [address for address in self._in_turn() if self._barred.get(address, now) <= now]
        if not open_ones:
            address = min(self._in_turn(), key=self._barred.__getitem__)
            self._next, self._failed = self._addresses.index(address), 0
            return self._barred[address] - now
        self._next = self._addresses.index(open_ones[0])
        if self._failed >= len(open_ones):
            self._failed = 0
            return self._retry.after_failure()
        least, most = BETWEEN_SECONDS
        return least + (most - least) * self._draw()

    def _in_turn(self) -> list[BrokerAddress]:
        """Return all addresses, the present one last."""
        return [*self._addresses[self._next + 1 :], *self._addresses[: self._next + 1]]

    def _is_refusal(self, fault: BusError) -> bool:
        if not isinstance(fault, SubscriptionFailedError):
            self._unexplained.pop(self.address, None)
            return isinstance(fault, _REFUSALS)
        count = self._unexplained[self.address] = self._unexplained.get(self.address, 0) + 1
        return count >= UNEXPLAINED

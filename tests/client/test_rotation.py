"""Which address is tried next, and after how long."""

import pytest

from pitwarden_client.mqtt.addresses import BrokerAddress
from pitwarden_client.mqtt.errors import (
    AccessRefusedError,
    BusError,
    LinkDownError,
    ProtocolViolationError,
    PublishRefusedError,
    SubscriptionFailedError,
    TakenOverError,
)
from pitwarden_client.mqtt.rotation import BETWEEN_SECONDS, UNEXPLAINED, AddressRotation
from pitwarden_client.mqtt.settings import BrokerSettings

DOWN = LinkDownError("lost")
SOON, LATER = 2.0, 30.0


class Retry:
    """A policy with round numbers, which counts its failures and successes."""

    def __init__(self) -> None:
        self.failures = self.successes = 0

    def after_failure(self) -> float:
        self.failures += 1
        return SOON

    def after_refusal(self) -> float:
        return LATER

    def succeeded(self) -> None:
        self.successes += 1


def rotation(number: int, *, draw: float = 0.0, order: str = "listed") -> tuple[AddressRotation, Retry]:
    """Return a rotation over the ports 1 to `number` of one host."""
    retry = Retry()
    further = tuple(BrokerAddress("x", port) for port in range(2, number + 1))
    settings = BrokerSettings("x", 1, further=further, order="random" if order == "random" else "listed")
    return AddressRotation(settings, retry, lambda: draw), retry


def ends(made: AddressRotation, *faults: BusError, now: float = 0.0) -> list[tuple[int, float]]:
    """Return the port that each attempt used, and the wait after it."""
    return [(made.address.port, made.failed(fault, now)) for fault in faults]


def test_the_next_address_is_tried_at_once_and_the_wait_grows_once_a_round() -> None:
    made, retry = rotation(3)
    least, _ = BETWEEN_SECONDS
    assert ends(made, *[DOWN] * 7) == [
        (1, least), (2, least), (3, SOON), (1, least), (2, least), (3, SOON), (1, least),
    ]  # fmt: skip
    assert retry.failures == 2
    assert made.settings == BrokerSettings("x", 2)


def test_links_that_lose_one_broker_together_do_not_come_together() -> None:
    least, most = BETWEEN_SECONDS
    waits = [ends(rotation(2, draw=draw)[0], DOWN)[0][1] for draw in (0.0, 0.5, 0.99)]
    assert waits == sorted(set(waits))
    assert least == waits[0] < waits[-1] < most


def test_a_single_address_has_the_policy_of_one_broker() -> None:
    made, retry = rotation(1)
    assert ends(made, DOWN, AccessRefusedError("no"), DOWN) == [(1, SOON), (1, LATER), (1, LATER)]
    made.succeeded()
    assert ends(made, DOWN) == [(1, SOON)]
    assert (retry.failures, retry.successes) == (2, 1)


def test_a_link_that_was_up_goes_on_at_the_next_address_and_a_new_round_begins() -> None:
    made, _ = rotation(2)
    least, _ = BETWEEN_SECONDS
    assert ends(made, DOWN) == [(1, least)]
    made.succeeded()
    assert ends(made, DOWN, DOWN) == [(2, least), (1, SOON)]


@pytest.mark.parametrize("kind", [AccessRefusedError, PublishRefusedError, ProtocolViolationError])
def test_an_address_that_refuses_us_is_left_alone_while_the_others_are_tried(kind: type[BusError]) -> None:
    made, _ = rotation(3)
    assert ends(made, kind("no"), *[DOWN] * 4)[1:] == [(2, 0.1), (3, SOON), (2, 0.1), (3, SOON)]
    assert [port for port, _ in ends(made, *[DOWN] * 3, now=LATER)] == [2, 3, 1]


def test_when_each_address_refuses_us_the_first_to_be_free_again_is_waited_for() -> None:
    made, _ = rotation(2)
    assert ends(made, AccessRefusedError("no")) == [(1, 0.1)]
    assert ends(made, AccessRefusedError("no"), now=10.0) == [(2, LATER - 10)]
    assert made.address.port == 1


def test_three_failed_subscriptions_in_a_row_at_one_address_are_a_refusal() -> None:
    lost = SubscriptionFailedError("0x80")
    made, _ = rotation(1)
    assert ends(made, *[lost] * UNEXPLAINED) == [(1, SOON)] * (UNEXPLAINED - 1) + [(1, LATER)]
    made, _ = rotation(1)
    assert ends(made, lost, lost, DOWN, lost, lost) == [(1, SOON)] * 5
    made, _ = rotation(1)
    ends(made, lost, lost)
    made.succeeded()
    assert ends(made, lost) == [(1, SOON)]
    made, _ = rotation(2)
    assert [wait for _, wait in ends(made, *[lost] * 4)] == [0.1, SOON, 0.1, SOON]


def test_another_client_with_our_id_is_at_every_address() -> None:
    made, _ = rotation(2)
    assert ends(made, TakenOverError("twin"), TakenOverError("twin")) == [(1, LATER), (1, LATER)]


def test_a_random_order_spreads_the_links_over_all_addresses() -> None:
    starts = [rotation(3, draw=draw, order="random")[0].address.port for draw in (0.0, 0.34, 0.99)]
    assert starts == [1, 2, 3]
    assert {AddressRotation(BrokerSettings("x", 1), Retry()).address.port} == {1}

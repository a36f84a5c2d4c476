"""Health is said once a change, and every fault class has its word."""

import pytest

from pitwarden.field.devices.runner import CODES, HealthTracker
from pitwarden_client.events.device import DeviceHealth
from pitwarden_drivers.errors import DeviceError, LinkLostError, PortBusyError


class Sink:
    def __init__(self) -> None:
        self.said: list[DeviceHealth] = []

    def health(self, device: str, health: DeviceHealth) -> None:
        assert device == "shoe"
        self.said.append(health)


def test_a_state_is_said_once_and_a_new_kind_of_reason_is_a_change() -> None:
    sink = Sink()
    health, said = HealthTracker("shoe", sink), sink.said
    for _ in range(3):
        health.online()
    for words in ("a", "b"):
        health.lost(LinkLostError(words))
    health.lost(PortBusyError("c"))
    health.stale(400)
    health.online()
    assert said[0] == DeviceHealth(state="online", reason="identified: the device is identified and heard")
    assert [(h.state, h.reason.split(":")[0]) for h in said] == [
        ("online", "identified"),
        ("lost", "link_lost"),
        ("lost", "port_busy"),
        ("stale", "silent"),
        ("online", "identified"),
    ]


@pytest.mark.parametrize("kind", DeviceError.__subclasses__())
def test_every_fault_class_has_its_word_and_no_device_can_break_the_sentence(kind: type[DeviceError]) -> None:
    sink = Sink()
    said = sink.said
    HealthTracker("shoe", sink).lost(kind("expected N42, found \x00\n\x1b" + "x" * 900))
    assert said[0].reason.startswith(f"{CODES[kind]}: expected N42, found ???xxx")
    assert len(said[0].reason) == 500

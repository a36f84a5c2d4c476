"""Devices that keep a message until it is acknowledged: each event is stored once, whatever the line does."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden_client.events import device as ev
from pitwarden_drivers.errors import DeviceSilentError
from pitwarden_drivers.mapping.session import DOUBTFUL
from testkit.devices.keeping_devices import FRAMED, card, framed, meter, polled
from testkit.devices.keeping_line import KeepingDevice, KeepingLine
from testkit.devices.serial_protocols import FramedShoe, PolledShuffler

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
CARDS = [f"{rank}{suit}" for suit in "CDHS" for rank in RANKS]
SUSPECT = ev.DeviceSuspect(reason=DOUBTFUL)


class FaultyLine:
    """Line that loses or damages a fifth of what it carries. Damage sets the highest bit: it makes no control byte."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311  a test that can be repeated

    def __call__(self, data: bytes) -> bytes:
        if not data or self._chance.random() >= 0.2:
            return data
        if self._chance.random() < 0.5:
            return b""
        at = self._chance.randrange(len(data))
        return data[:at] + bytes((data[at] ^ 0x80,)) + data[at + 1 :]


def test_an_event_is_acknowledged_only_when_the_log_has_it() -> None:
    line, device = framed()
    line.commit_ms = 10_000
    device.happens("CASU")
    line.run(3_000)
    assert len(device.outbox) == 1, "the device still keeps it"
    assert line.said() == []
    line.run(9_000)
    assert [card(said) for said in line.said()] == ["AS"]
    assert not device.outbox


@pytest.mark.parametrize("make", [framed, polled])
def test_a_log_that_stores_late_does_not_make_the_device_silent(
    make: Callable[[], tuple[KeepingLine, FramedShoe | PolledShuffler]],
) -> None:
    """Nothing is asked while an event waits for the log, so that the device has nothing to answer."""
    line, device = make()
    line.commit_ms = 60_000
    device.happens("M" if isinstance(device, FramedShoe) else "TOTAL 7")
    line.run(70_000)
    assert len(line.said()) == 1
    line.to_device = line.to_host = lambda _: b""
    with pytest.raises(DeviceSilentError):
        line.run(30_000)


@pytest.mark.parametrize("make", [framed, polled])
def test_a_quiet_line_carries_every_event_once_and_in_order(
    make: Callable[[], tuple[KeepingLine, FramedShoe | PolledShuffler]],
) -> None:
    line, device = make()
    for number in range(30):
        device.happens(f"C{CARDS[number]}D" if isinstance(device, FramedShoe) else f"TOTAL {number}")
    line.run(15_000)
    if isinstance(device, FramedShoe):
        assert [card(said) for said in line.said()] == CARDS[:30]
    else:
        assert [meter(said) for said in line.said()] == list(range(30))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_a_line_that_loses_and_damages_costs_no_event_and_doubles_none(seed: int, shoe: bool) -> None:  # noqa: FBT001
    """Without numbers a lost acknowledgement leaves a doubt, which is reported; it is never counted twice."""
    line: KeepingLine
    device: KeepingDevice
    line, device = framed() if shoe else polled()
    line.to_host, line.to_device = FaultyLine(seed), FaultyLine(seed + 1)
    for number in range(20):
        device.happens(f"C{CARDS[number]}U" if shoe else f"TOTAL {number}")
        line.run(700)
    line.to_host = line.to_device = bytes
    line.run(20_000)
    said = [one for one in line.said() if one != SUSPECT]
    if shoe:
        assert [card(one) for one in said] == CARDS[:20]
        assert SUSPECT not in line.said()
    else:
        assert [meter(one) for one in said] == list(range(20))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_a_host_that_dies_between_any_two_steps_counts_nothing_twice(seed: int, shoe: bool) -> None:  # noqa: FBT001
    """An event that may be a repetition becomes a doubt that the floor is shown, in its place in the order."""
    chance = random.Random(seed)  # noqa: S311  a test that can be repeated
    line: KeepingLine
    device: KeepingDevice
    line, device = framed() if shoe else polled()
    for number in range(20):
        device.happens(f"C{CARDS[number]}U" if shoe else f"TOTAL {number}")
        line.run(chance.randrange(0, 800))
        if chance.random() < 0.3:
            line.open()
    line.run(30_000)
    said = line.said()
    found = [CARDS.index(card(one)) if shoe else meter(one) for one in said if one != SUSPECT]
    assert found == sorted(set(found)), "nothing twice, nothing out of order"
    missing = set(range(20)) - set(found)
    assert len(missing) <= said.count(SUSPECT), "what is not in the log is there as a doubt"
    device_keeps = device.outbox if isinstance(device, FramedShoe | PolledShuffler) else ()
    assert not device_keeps


def test_a_device_that_restarts_its_numbers_makes_a_doubt_not_a_silent_loss() -> None:
    line, device = framed()
    for name in ("2C", "3C"):
        device.happens(f"C{name}U")
        line.run(500)
    line.open()
    device.number = 1  # the number of the last stored event
    device.happens("C4CU")
    line.run(2_000)
    assert line.said()[-1] == SUSPECT


def test_numbers_that_never_arrived_are_a_gap() -> None:
    line, device = framed()
    device.happens("C2CU")
    line.run(500)
    device.number = 4
    device.happens("C3CU")
    line.run(500)
    gaps = [report.said for report in line.stored if isinstance(report.said, ev.DeviceGap)]
    assert gaps == [ev.DeviceGap(first=11, last=13)], "the positions go on after the ten of the first round of numbers"


def test_a_polled_device_that_answers_no_poll_is_silent() -> None:
    line, _ = polled()
    line.to_host = lambda _: b""
    with pytest.raises(DeviceSilentError, match="see the cable"):
        line.run(5_000)


def test_a_polled_device_that_has_nothing_to_say_is_alive() -> None:
    line, device = polled()
    before = device.polls
    line.run(10_000)
    assert device.polls - before >= 40
    assert line.session.heard_at is not None
    assert line.now - line.session.heard_at <= 400


def test_another_address_of_the_line_is_not_believed_and_is_no_sign_of_life() -> None:
    line, device = polled()
    device.address = "08"
    heard = line.session.heard_at
    line.turned(line.session.receive(line.now, device.frame("START A")))
    assert line.said() == []
    assert line.session.heard_at == heard


def test_a_code_that_the_map_lacks_is_named_for_a_device_without_faces() -> None:
    line, device = polled()
    device.happens("FAIL A 99")
    line.run(2_000)
    assert line.said() == [
        ev.DeviceSuspect(
            reason="a message matched shuffler.fault, but a field of it cannot be: fault has the value '99'"
        )
    ]


def test_a_card_that_cannot_be_is_never_repeated() -> None:
    line, device = framed()
    device.happens("L7")
    line.run(500)
    device.happens("C1CU")
    line.run(500)
    assert "7" not in repr(line.said())
    assert "1C" not in repr(line.said())


def test_an_event_before_the_identity_is_kept_by_its_device() -> None:
    device = FramedShoe()
    device.happens("M")
    line = KeepingLine(FRAMED, device, to_device=lambda data: b"" if b"I" in data else data)
    line.run(3_000)
    assert list(device.outbox) == ["M"]
    assert not line.session.identified
    line.to_device = bytes
    line.run(3_000)
    assert line.said() == [ev.ShoeCut()]
    assert not device.outbox

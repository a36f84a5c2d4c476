"""Lines of a mapped device become events; a card is a secret at once, and what cannot be is not repeated."""

from pathlib import Path

import pytest

from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.device import (
    DeviceCover,
    DeviceEvent,
    DeviceMaintenance,
    DeviceMeter,
    DevicePower,
    DeviceSuspect,
    DeviceUnknown,
    ShufflerDone,
)
from pitwarden_drivers.api import PlainCard, PlainStack
from pitwarden_drivers.mapping.meaning import Kind, event_from_fields
from testkit.devices.map_sessions import SCANNER, edited, identified_session, shuffler, summed


def test_a_line_that_is_not_in_the_map_is_said_once_and_never_repeated() -> None:
    session = shuffler()
    turn = session.receive(2_000, summed("HOLE KH") + summed("HOLE AS"))
    assert [report.said for report in turn.reports] == [DeviceUnknown(code=0)]
    assert "KH" not in repr(turn)


def test_a_card_is_a_secret_at_once() -> None:
    session = identified_session(SCANNER, "S-2001", identity=b"SCANNER S-2001 REV B2\r")
    turn = session.receive(2_000, b"10D17\rNOREAD\rCUTCARD\r")
    first, second, third = [report.said for report in turn.reports]
    assert isinstance(first, PlainCard)
    assert first.face.value == parse_face("10D")
    assert isinstance(second, PlainCard)
    assert second.face.value == parse_face("??")
    assert getattr(third, "kind", "") == "shoe.cut"
    assert "10D" not in repr(turn)
    assert str(parse_face("10D")) not in repr(first)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("shoe.card", {"card": "1X"}), ("shoe.card", {"card": "AS", "up": "sideways"}), ("shoe.stack", {"count": "-1"}),
        ("shuffler.done", {"deck": "A", "count": "many"}), ("shuffler.fault", {"deck": "A", "fault": "fire"}),
    ],
)  # fmt: skip
def test_a_field_that_cannot_be_is_suspect_and_never_repeated(kind: Kind, fields: dict[str, str | int]) -> None:
    found = event_from_fields(kind, fields)
    assert isinstance(found, DeviceSuspect)
    assert not any(str(value) in found.reason for value in fields.values())


def test_stacks_and_sides_are_read() -> None:
    assert event_from_fields("shoe.stack", {"count": "7"}) == PlainStack(7)
    card = event_from_fields("shoe.card", {"card": "AS", "up": "up", "back": "blue"})
    assert isinstance(card, PlainCard)
    assert (card.up, card.back) == (True, "blue")


@pytest.mark.parametrize(
    ("kind", "fields", "event"),
    [
        ("device.cover", {"cover": "door", "state": "open"}, DeviceCover(cover="door", state="open")),
        ("device.cover", {"cover": "lid", "state": "closed"}, DeviceCover(cover="lid", state="closed")),
        ("device.power", {"state": "battery"}, DevicePower(state="battery")),
        ("device.maintenance", {"state": "due"}, DeviceMaintenance(state="due")),
        ("device.meter", {"meter": "jams", "value": "17"}, DeviceMeter(meter="jams", value=17)),
    ],
)
def test_doors_power_maintenance_and_counters_are_events(
    kind: Kind, fields: dict[str, str | int], event: DeviceEvent
) -> None:
    assert event_from_fields(kind, fields) == event


def test_a_word_of_the_device_becomes_the_state_of_its_supply(tmp_path: Path) -> None:
    event = "[[event]]\nkind = \"device.power\"\npattern = 'PWR (?P<state>\\d)'\n"
    words = 'words = { state = { 0 = "low", 1 = "mains" } }\n\n'
    file = edited(tmp_path, "[tests]", f"{event}{words}[tests]")
    session = identified_session(file, "F-0007", identity=summed("ID F-0007 FW 2.1"))
    turn = session.receive(2_000, summed("PWR 0") + summed("PWR 1"))
    assert [report.said for report in turn.reports] == [DevicePower(state="low"), DevicePower(state="mains")]


def test_a_word_may_be_translated_and_a_number_scaled(tmp_path: Path) -> None:
    """A shuffler that counts in packs of 52."""
    file = edited(tmp_path, r"N=(?P<count>\d{1,3})'", "N=(?P<count>\\d{1,3})'\nscale = { count = 52 }")
    session = identified_session(file, "F-0007", identity=summed("ID F-0007 FW 2.1"))
    turn = session.receive(2_000, summed("DONE A N=8"))
    assert turn.reports[0].said == ShufflerDone(deck="A", count=416)

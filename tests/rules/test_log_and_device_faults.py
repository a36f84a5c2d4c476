"""Faults of the log or of a device hold the table; a fault of our own is reported and stops no other table."""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest

from pitwarden.field.devices.runner import HealthTracker
from pitwarden.rules import LogEntry, RulesState, public_state, step
from pitwarden.rules.checks.check_entry import CheckEntry
from pitwarden.rules.checks.context import CheckContext
from pitwarden.rules.engine import step as runner
from pitwarden.rules.engine.check_catalogue import due_checks
from pitwarden.rules.state.state import Finding
from pitwarden_client.events import floor as ft
from pitwarden_client.events.base import Position
from pitwarden_client.events.device import (
    IDENTITY_MISMATCH,
    DeviceGap,
    DeviceHealth,
    DeviceSuspect,
    DeviceUnknown,
    ShoeCard,
)
from pitwarden_client.events.outputs import CheckFailed, Duty
from pitwarden_client.events.table import (
    Attested,
    ClockTick,
    EpochOpened,
    Head,
    JudgeAnnounced,
    LogFault,
    PermitApplied,
)
from pitwarden_drivers.errors import IdentityMismatchError
from testkit.tables.rules_table import SEALED, RulesTable, setup_of, words


@pytest.fixture
def table() -> RulesTable:
    return RulesTable(setup_of("TAB")).open()


def test_a_seal_that_does_not_open_holds_until_the_decks_are_verified(table: RulesTable) -> None:
    said = words(table.row(ShoeCard(face=SEALED), "shoe", unreadable=True))
    assert said == ["PW-SEAL HOLD"]
    assert "PW-SEAL cleared" in words(table.key(ft.FtDeckVerified(deck="A")))


def test_lost_rows_hold_and_unknown_devices_alert(table: RulesTable) -> None:
    assert words(table.row(DeviceGap(first=1, last=3), "shoe")) == ["PW-GAP HOLD"]
    assert words(table.row(LogFault(fault="queue_overflow", detail="d"))) == ["PW-LOG HOLD"]
    assert words(table.row(LogFault(fault="forked", detail="d"))) == ["PW-FORK HOLD"]
    assert words(table.row(DeviceSuspect(reason="r"), "shoe")) == ["PW-DEVICE ALERT"]
    assert words(table.row(DeviceUnknown(code=7), "shuffler")) == ["PW-DEVICE ALERT"]


def test_another_device_in_the_place_of_ours_is_an_alarm_until_the_floor_has_ruled(table: RulesTable) -> None:
    strange = DeviceHealth(state="lost", reason="identity_mismatch: another device (046d:c31c) is plugged in there")
    assert words(table.row(strange, "shoe")) == ["PW-DEVICE ALERT"]
    assert words(table.row(DeviceHealth(state="online", reason="identified: it is heard"), "shoe")) == []
    assert words(table.row(strange, "shoe")) == []
    ref = public_state(table.state).irregularities[0].ref
    assert words(table.key(ft.FtSettleNote(irregularity=ref, ruling="seen"))) == ["PW-DEVICE cleared"]


def test_the_word_for_another_device_is_the_one_in_stored_logs() -> None:
    """The field half writes it, and rules of any version read it back from logs that are years old."""
    assert IDENTITY_MISMATCH == "identity_mismatch"
    reported: list[DeviceHealth] = []

    class Sink:
        def health(self, _device: str, health: DeviceHealth) -> None:
            reported.append(health)

    HealthTracker("shoe", Sink()).lost(IdentityMismatchError("serial N77 answers"))
    assert [one.reason for one in reported] == ["identity_mismatch: serial N77 answers"]


def test_without_a_deck_the_floors_note_is_enough() -> None:
    table = RulesTable(setup_of("TAB"))
    table.row(DeviceGap(first=1, last=3), "shoe")
    ref = public_state(table.state).irregularities[0].ref
    assert words(table.key(ft.FtSettleNote(irregularity=ref, ruling="seen"))) == ["PW-GAP cleared"]


def test_a_judge_is_remembered_by_its_rules(table: RulesTable) -> None:
    said = Attested(clause="G-05", by="A. Example", on="2026-01-05", reference="IC-30")
    table.row(JudgeAnnounced(judge="j", rules_version="0.1.0", profile_digest="0" * 64, attested=(said,)))
    assert table.state.table.announced == "0.1.0 " + "0" * 64


def test_a_failing_check_is_said_holds_and_stops_no_other(table: RulesTable, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(seen: CheckContext) -> Iterator[Finding]:
        raise LookupError(seen.entry.source)

    setup = table.state.setup
    listed = CheckEntry("test.broken", broken, ("device_gap",), ("device.gap",)).with_rows(setup.profile, setup.inputs)
    monkeypatch.setattr(runner, "due_checks", lambda *row: (listed, *due_checks(*row)))
    said = table.row(DeviceGap(first=1, last=3), "shoe")
    assert words(said) == ["failed test.broken", "PW-CHECK HOLD", "PW-GAP HOLD"]
    assert isinstance(said[0], CheckFailed)
    assert said[0].error == "LookupError"


def test_a_row_that_cannot_be_followed_leaves_the_table_unjudged_until_the_floor_has_verified(
    table: RulesTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(state: RulesState, entry: LogEntry) -> RulesState:
        raise LookupError(entry.source + state.epoch)

    with monkeypatch.context() as patch:
        patch.setattr(runner, "evolve", broken)
        assert words(table.tick()) == ["failed moves", "PW-CHECK HOLD"]
    assert table.state.number == table.number
    assert "the rules core could not follow the log" in public_state(table.state).permit.reasons
    table.key(ft.FtDeckVerified(deck="A"))
    assert table.state.unjudged == ""


def test_outputs_that_cannot_be_made_leave_the_table_unjudged(table: RulesTable) -> None:
    broken = replace(table.state, duties=(cast("Duty", None),))
    state, said = step(broken, LogEntry("e1", table.number + 1, table.log_ms, table.utc_ms, "field", ClockTick()))
    assert words(said) == ["failed outputs"]
    assert state.unjudged == "AttributeError"


def test_a_game_without_a_house_rule_still_says_that_a_check_failed(
    table: RulesTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(state: RulesState, entry: LogEntry) -> RulesState:
        raise LookupError(entry.source + state.epoch)

    monkeypatch.setattr(runner, "evolve", broken)
    rules = tuple(rule for rule in table.setup.profile.rules if rule.key != "check_failed")
    setup = replace(table.setup, profile=replace(table.setup.profile, rules=rules))
    bare = RulesTable(setup)
    assert words(bare.tick()) == ["failed moves"]


def test_a_new_epoch_is_followed_and_its_numbers_start_at_one(table: RulesTable) -> None:
    assert _restarted(table, _head(table.state.epoch, table.state.number)) == []
    assert (table.state.epoch, table.state.number) == ("e2", 1)


@pytest.mark.parametrize("lost", [0, 1, None])
def test_an_epoch_that_does_not_follow_on_the_judged_row_holds(table: RulesTable, lost: int | None) -> None:
    where = ("e9", table.state.number) if lost == 0 else (table.state.epoch, table.state.number - (lost or 0))
    assert _restarted(table, None if lost is None else _head(*where)) == ["PW-FORK HOLD"]
    assert "PW-FORK cleared" in words(table.key(ft.FtDeckVerified(deck="A")))


def test_the_first_epoch_of_all_is_no_fork() -> None:
    assert _restarted(RulesTable(setup_of("TAB")), None) == []


def test_a_restart_shows_no_permit_and_knows_no_device(table: RulesTable) -> None:
    table.row(PermitApplied(granted=True, cause="granted", as_of=None))
    table.row(DeviceHealth(state="online", reason="heard"), "shoe")
    _restarted(table, _head(table.state.epoch, table.state.number))
    assert table.state.table.permit_shown == "withheld"
    assert {(device.health, device.identified) for device in table.state.devices} == {("", False)}
    assert "PW-PERMIT ALERT" in words(table.row(ShoeCard(face=SEALED), "shoe", faces=(3,)))


def _head(epoch: str, number: int) -> Head:
    return Head(at=Position(epoch=epoch, number=number), hash="0" * 64)


def _restarted(table: RulesTable, parent: Head | None) -> list[str]:
    table.epoch, table.log_ms = "e2", 0
    return words(table.row(EpochOpened(parent=parent, signer="0" * 64, signature="A" * 86 + "==")))

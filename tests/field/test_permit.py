"""The permit that the table was shown."""

from pitwarden.field.log.permit import PermitDisplay
from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import Permit, TableState


def state(number: int, *, granted: bool, expires: int = 40_000, epoch: str = "e1") -> TableState:
    return TableState(
        as_of=Position(epoch=epoch, number=number), outputs=0, game="g", round=1, in_round=False,
        permit=Permit(granted=granted, reasons=(), expires_ms=expires), irregularities=(), duties=(),
        rules_version="1", profile_digest="0" * 64, simulated=True,
    )  # fmt: skip


def test_only_changes_are_said() -> None:
    shown = PermitDisplay("e1")
    assert shown.state(state(1, granted=False), 0) is None
    said = shown.state(state(2, granted=True), 0)
    assert said is not None
    assert (said.granted, said.cause, said.as_of) == (True, "granted", Position(epoch="e1", number=2))
    assert shown.state(state(3, granted=True), 0) is None
    said = shown.state(state(4, granted=False), 0)
    assert said is not None
    assert said.cause == "withheld"


def test_it_runs_out_unless_renewed() -> None:
    shown = PermitDisplay("e1")
    shown.state(state(1, granted=True, expires=30_000), 0)
    assert shown.expires_ms == 30_000
    shown.state(state(2, granted=True, expires=40_000), 9_000)
    assert shown.tick(39_999) is None
    said = shown.tick(40_000)
    assert said is not None
    assert said.cause == "expired"
    assert not shown.expires_ms
    assert shown.tick(50_000) is None


def test_a_grant_that_has_run_out_already_grants_nothing() -> None:
    assert PermitDisplay("e1").state(state(1, granted=True, expires=10), 10) is None


def test_a_state_from_the_past_is_ignored() -> None:
    shown = PermitDisplay("e1")
    shown.state(state(5, granted=True), 0)
    assert shown.state(state(4, granted=False), 0) is None
    assert shown.state(state(1, granted=False, epoch="e2"), 0) is not None
    assert shown.state(state(9, granted=True, epoch="e1"), 0) is None


def test_a_state_of_another_epoch_grants_nothing() -> None:
    assert PermitDisplay("e2").state(state(5, granted=True, epoch="e1"), 0) is None


def test_what_the_log_did_not_take_is_said_again() -> None:
    shown = PermitDisplay("e1")
    said = shown.state(state(1, granted=True), 0)
    assert said is not None
    shown.not_logged(said)
    assert shown.state(state(2, granted=True), 0) is not None

"""What the judge asks of a shoe: locked between rounds without a permit, never in one, unlocked with the permit."""

from pitwarden.judge.shoe_locks import AGAIN_MS, ShoeLocks
from pitwarden_client.events.base import Position
from pitwarden_client.events.device import DeviceCommand, DeviceEvent, DeviceIdentified
from pitwarden_client.events.envelope import GENESIS, LogEvent, rfc3339
from pitwarden_client.events.outputs import Permit, TableState


def state(number: int, *, granted: bool = False, in_round: bool = False) -> TableState:
    return TableState(
        as_of=Position(epoch="e", number=number), outputs=0, game="g", round=1, in_round=in_round,
        permit=Permit(granted=granted, reasons=(), expires_ms=90_000), irregularities=(), duties=(), rules_version="1",
        profile_digest=GENESIS, simulated=True,
    )  # fmt: skip


def row(data: DeviceEvent) -> LogEvent:
    return LogEvent(
        id="e/1", source="/s/t/shoe", type="t", time=rfc3339(0), epoch="e", prevhash=GENESIS, simulated=True,
        tableseq=1, logms=0, clocksync=True, clockerror=0, data=data,
    )  # fmt: skip


def asked(locks: ShoeLocks, now: TableState, log_ms: int = 0) -> list[str]:
    return [f"{shoe} {order.command}" for shoe, order in locks.due(now, log_ms)]


def done(locks: ShoeLocks, command: str, outcome: str = "done") -> None:
    said = {"request": "r", "command": command, "outcome": outcome}
    locks.on_row(row(DeviceCommand.model_validate(said)))


def test_it_follows_the_permit_between_rounds_and_locks_nothing_in_one() -> None:
    locks = ShoeLocks({"shoe"}, "run")
    assert asked(locks, state(1)) == ["shoe lock"]
    done(locks, "lock")
    assert asked(locks, state(2)) == []
    assert asked(locks, state(3, granted=True)) == ["shoe unlock"]
    done(locks, "unlock")
    assert asked(locks, state(4, in_round=True)) == []
    assert asked(locks, state(5)) == ["shoe lock"]


def test_a_shoe_that_was_locked_before_the_round_is_unlocked_in_it() -> None:
    locks = ShoeLocks({"shoe"}, "run")
    done(locks, "lock")
    assert asked(locks, state(4, in_round=True, granted=True)) == ["shoe unlock"]


def test_what_was_refused_is_asked_for_again_after_a_while_under_another_id() -> None:
    locks = ShoeLocks({"shoe"}, "run")
    [(_, first)] = locks.due(state(1), 0)
    done(locks, "lock", "refused")
    assert asked(locks, state(2), AGAIN_MS - 1) == []
    [(_, second)] = locks.due(state(3), AGAIN_MS)
    assert first.id != second.id


def test_a_shoe_that_did_not_answer_may_be_anything() -> None:
    locks = ShoeLocks({"shoe"}, "run")
    done(locks, "unlock")
    done(locks, "lock", "timeout")
    assert asked(locks, state(2, granted=True)) == ["shoe unlock"]


def test_a_restarted_shoe_is_locked_again() -> None:
    locks = ShoeLocks({"shoe"}, "run")
    done(locks, "lock")
    locks.on_row(row(DeviceIdentified(serial="s", firmware="f", boot=2)))
    assert asked(locks, state(9)) == ["shoe lock"]


def test_without_a_shoe_to_lock_there_is_nothing_to_ask() -> None:
    assert not ShoeLocks((), "run")

"""What is no row of this table, or could be none, changes nothing."""

import json

import pytest

from pitwarden_client.chain.receiver import LogReceiver
from testkit.journals.log_rows import SOURCE, accepted_positions, at, log_of, receiver_after, rewritten


@pytest.mark.parametrize("payload", [b"", b"null", b"{", b"\xff", b'{"epoch":"e1"}', b"[" * 70_000])
def test_what_is_no_row_at_all_changes_nothing(payload: bytes) -> None:
    receiver = receiver_after(log_of(2))
    taken = receiver.take(payload)
    assert taken.garbage
    assert (taken.rows, taken.forked) == ((), None)


def test_a_row_of_another_table_is_refused() -> None:
    (row,) = log_of(1)
    taken = LogReceiver(None, [], "/site/t2/").take(row.body)
    assert taken.garbage == "a row of another table: its source does not begin with /site/t2/"


def test_an_unsigned_first_row_opens_no_epoch() -> None:
    rows = log_of(2, 2)
    receiver = LogReceiver(None, [], SOURCE, is_trusted=lambda _opening: False)
    assert receiver.take(rows[0].body).garbage is not None
    outline = {"source": f"{SOURCE}x", "epoch": "evil", "tableseq": 1, "prevhash": "0" * 64}
    honest = receiver_after(rows[:2])
    assert honest.take(json.dumps(outline).encode()).garbage is not None
    assert accepted_positions(honest, rows[2:]) == at(rows[2:])


def test_an_id_that_is_not_the_rows_place_is_no_row() -> None:
    rows = log_of(3)
    receiver = receiver_after(rows[:2])
    garbage = receiver.take(rewritten(rows[2], id=f"{rows[2].at.epoch}/1")).garbage
    assert garbage is not None
    assert "seals are bound to" in garbage
    assert accepted_positions(receiver, rows[2:]) == at(rows[2:])


@pytest.mark.parametrize(
    "changed", [{"time": "2024-99-99T99:99:99.000Z"}, {"logms": 2**53 - 1}], ids=["no date", "no log time"]
)
def test_a_row_with_a_time_that_cannot_be_has_its_place_and_is_not_judged(changed: dict[str, object]) -> None:
    rows = log_of(3)
    receiver = receiver_after(rows[:2])
    [row] = receiver.take(rewritten(rows[2], **changed)).rows
    assert row.at == rows[2].at
    assert row.event is None
    assert "time" in row.reason

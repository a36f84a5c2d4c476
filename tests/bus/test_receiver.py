"""Rows of a log come out once and in order, from epoch to epoch; what was committed is acknowledged."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pitwarden_client.chain.receiver import LogReceiver, ReceiveResult
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest
from pitwarden_client.events.status import ConsumerPosition
from pitwarden_client.events.table import Head
from testkit.journals.log_rows import SOURCE, RowWriter, accepted_positions, at, head, log_of, receiver_after, writer_at


@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5),
    chance=st.randoms(use_true_random=False),
    copies=st.integers(1, 3),
)
def test_rows_in_any_order_and_number_come_out_once_and_in_order(
    lengths: list[int], chance: Random, copies: int
) -> None:
    rows = log_of(*lengths)
    shuffled = rows * copies
    chance.shuffle(shuffled)
    receiver = LogReceiver(None, [], SOURCE)
    assert accepted_positions(receiver, shuffled) == at(rows)
    assert receiver.taken == head(rows[-1])
    assert receiver.duplicates + len(rows) <= len(shuffled)


@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4), data=st.data())
def test_a_receiver_goes_on_from_its_stored_position(lengths: list[int], data: st.DataObject) -> None:
    rows = log_of(*lengths)
    known = data.draw(st.integers(1, len(rows)))
    receiver = LogReceiver(head(rows[known - 1]), {row.at.epoch for row in rows[:known]}, SOURCE)
    assert accepted_positions(receiver, rows) == at(rows[known:])


def test_only_what_the_caller_committed_is_acknowledged() -> None:
    rows = log_of(3)
    receiver = LogReceiver(None, [], SOURCE)
    assert receiver.position(hello=True) == ConsumerPosition(at=None, hash=None, hello=True)
    accepted_positions(receiver, rows)
    assert receiver.position() == ConsumerPosition(at=None, hash=None)
    receiver.committed(head(rows[1]))
    assert receiver.position() == ConsumerPosition(at=rows[1].at, hash=rows[1].hash)


def test_what_waits_is_bounded_and_comes_again() -> None:
    rows = log_of(10)
    receiver = LogReceiver(None, [], SOURCE, held_rows=3)
    assert accepted_positions(receiver, rows[1:]) == []
    assert receiver.overflowed == 6
    assert accepted_positions(receiver, rows) == at(rows)


def test_an_epoch_that_was_left_is_never_followed_back() -> None:
    rows = log_of(3, 2)
    receiver = receiver_after(rows)
    late, _ = writer_at(rows[2]).write()  # a fourth row of the first epoch
    assert receiver.take(late.body) == ReceiveResult()
    assert receiver.taken == head(rows[-1])
    assert receiver.duplicates == 1


def test_several_epochs_that_passed_unseen_are_followed_in_their_order() -> None:
    rows = log_of(2, 1, 1, 3)
    receiver = receiver_after(rows[:2])
    assert accepted_positions(receiver, [rows[4], rows[3], rows[5]]) == []
    assert accepted_positions(receiver, [rows[2]]) == at(rows[2:6])


def test_a_row_of_an_unknown_version_keeps_its_place_and_is_named() -> None:
    first, writer = RowWriter().open("e1")
    unknown = writer.write()[0].body.replace(b'"clock.tick"', b'"clock.tock"')
    after = Head(at=Position(epoch="e1", number=2), hash=digest(unknown))
    third, _ = RowWriter(after).write()
    receiver = LogReceiver(None, [], SOURCE)
    assert receiver.take(third.body) == ReceiveResult()
    assert receiver.take(unknown) == ReceiveResult()
    one, two, three = receiver.take(first.body).rows
    assert (one.event is None, two.event is None, three.event is None) == (False, True, False)
    assert (two.body, two.hash) == (unknown, digest(unknown))
    assert "not a LogEvent" in two.reason
    assert receiver.taken == head(third)

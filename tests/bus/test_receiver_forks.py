"""A log that was wiped, restored or copied, or has another row somewhere, is a fork and is said."""

import pytest

from pitwarden_client.chain.receiver import Fork, LogReceiver, ReceiveResult
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import EpochOpened, Head
from testkit.journals.log_rows import (
    SIGNATURE,
    SOURCE,
    RowWriter,
    accepted_positions,
    at,
    head,
    log_of,
    receiver_after,
    rewritten,
    writer_at,
)


def forked(taken: ReceiveResult) -> Fork:
    assert taken.rows == ()
    assert taken.forked is not None
    return taken.forked


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_restored_disk_is_a_fork(after: int) -> None:
    rows = log_of(4)
    receiver = receiver_after(rows)
    opening, writer = writer_at(rows[after - 1]).open("twin")
    fork = forked(receiver.take(opening.body))
    assert f"e1/{after}, which is not where ours ends" in fork.reason
    assert receiver.taken == head(rows[-1])
    second, _ = writer.write()
    assert receiver.take(second.body) == ReceiveResult()
    assert [row.at for row in receiver.follow_fork(fork).rows] == [opening.at, second.at]
    assert receiver.take(rows[-1].body) == ReceiveResult()


def test_a_wiped_disk_is_a_fork() -> None:
    rows = log_of(4)
    receiver = receiver_after(rows)
    opening, writer = RowWriter().open("new")
    fork = forked(receiver.take(opening.body))
    assert "begins anew" in fork.reason
    assert [row.at for row in receiver.follow_fork(fork).rows] == [opening.at]
    assert accepted_positions(receiver, [writer.write()[0]]) == [Position(epoch="new", number=2)]


def test_a_copied_disk_is_a_fork_whichever_comes_second() -> None:
    rows = log_of(3)
    (one, _), (two, _) = writer_at(rows[-1]).open("one"), writer_at(rows[-1]).open("two")
    receiver = receiver_after(rows)
    assert accepted_positions(receiver, [one]) == [one.at]
    assert "e1/3" in forked(receiver.take(two.body)).reason


def test_a_disk_restored_to_a_state_that_we_never_saw_is_a_fork_once_its_parent_is_known() -> None:
    rows = log_of(3)
    other = writer_at(rows[1]).write(salt=5)[0]
    opening, _ = writer_at(other).open("twin")
    receiver = receiver_after(rows)
    assert "e1/3" in forked(receiver.take(opening.body)).reason


def test_another_row_at_a_number_that_we_have_is_a_fork() -> None:
    rows = log_of(4)
    for number in (2, 4):
        twin, _ = writer_at(rows[number - 2]).write(salt=5)
        receiver = receiver_after(rows)
        fork = forked(receiver.take(twin.body))
        assert fork.reason == "the same number had another row"
        with pytest.raises(ValueError, match=f"row e1/{number} opens no epoch"):
            receiver.follow_fork(fork)
    receiver = LogReceiver(head(rows[3]), ["e1"], SOURCE)
    assert forked(receiver.take(writer_at(rows[2]).write(salt=5)[0].body))


def test_an_opening_must_name_the_row_that_it_follows() -> None:
    rows = log_of(3)
    ours, elsewhere = writer_at(rows[-1]), Head(at=Position(epoch="unseen", number=4), hash="ab" * 32)
    stranger, _ = ours.row("new", 1, EpochOpened(parent=elsewhere, signer="0" * 64, signature=SIGNATURE))
    receiver = receiver_after(rows)
    assert receiver.take(stranger.body) == ReceiveResult()
    assert receiver.taken == head(rows[-1])
    other = EpochOpened(parent=head(rows[-1]), signer="0" * 64, signature=SIGNATURE)
    contradiction, _ = RowWriter(elsewhere).row("other", 1, other)
    assert "names one parent and follows another" in forked(receiver_after(rows).take(contradiction.body)).reason


def test_a_row_with_another_predecessor_is_a_fork_also_when_it_waited() -> None:
    rows = log_of(5)
    twin, writer = writer_at(rows[1]).write(salt=5)
    next_of_twin, _ = writer.write()
    receiver = receiver_after(rows[:3])
    assert "another predecessor" in forked(receiver.take(next_of_twin.body)).reason
    receiver = receiver_after(rows[:2])
    assert receiver.take(next_of_twin.body) == ReceiveResult()
    taken = receiver.take(rows[2].body)
    assert [row.at for row in taken.rows] == [rows[2].at]
    assert taken.forked is not None
    assert taken.forked.row.hash == next_of_twin.hash
    del twin


def test_an_opening_that_waited_and_then_turns_out_a_fork_is_said() -> None:
    rows = log_of(3)
    opening, _ = writer_at(rows[1]).open("twin")
    receiver = receiver_after(rows[:1])
    assert receiver.take(opening.body) == ReceiveResult()
    assert [row.at for row in receiver.take(rows[1].body).rows] == [rows[1].at, opening.at]
    receiver = receiver_after(rows[:1])
    assert receiver.take(opening.body) == ReceiveResult()
    assert receiver.take(rows[2].body) == ReceiveResult()
    taken = receiver.take(rows[1].body)
    assert [row.at for row in taken.rows] == at(rows[1:3])
    assert taken.forked is not None
    assert taken.forked.row.at == opening.at


def test_an_epoch_that_was_followed_is_not_adopted_again() -> None:
    rows = log_of(3)
    receiver = receiver_after(rows)
    again = receiver.take(rewritten(rows[0], clockerror=77)).forked
    assert again is not None
    assert not receiver.can_follow(again)
    with pytest.raises(ValueError, match="no epoch that is new"):
        receiver.follow_fork(again)

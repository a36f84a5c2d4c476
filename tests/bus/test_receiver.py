import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from log_rows import SIGNATURE, SOURCE, LogWriter, log_of, writer_at
from pitwarden.bus.receiver import Forked, LogReceiver, Taken
from pitwarden.events.base import Position
from pitwarden.events.codec import digest
from pitwarden.events.status import ConsumerPosition
from pitwarden.events.table import EpochOpened, Head
from pitwarden.journal.rows import NewRow


def fed(receiver: LogReceiver, rows: list[NewRow]) -> list[Position]:
    return [row.at for sent in rows for row in receiver.take(sent.body).rows]


def at(rows: list[NewRow]) -> list[Position]:
    return [row.at for row in rows]


def head(row: NewRow) -> Head:
    return Head(at=row.at, hash=row.hash)


def behind(rows: list[NewRow]) -> LogReceiver:
    receiver = LogReceiver(None, [], SOURCE)
    assert fed(receiver, rows) == at(rows)
    return receiver


def forked(taken: Taken) -> Forked:
    assert taken.rows == ()
    assert taken.forked is not None
    return taken.forked


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
    assert fed(receiver, shuffled) == at(rows)
    assert receiver.taken == head(rows[-1])
    assert receiver.duplicates + len(rows) <= len(shuffled)


@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4), data=st.data())
def test_a_receiver_goes_on_from_its_stored_position(lengths: list[int], data: st.DataObject) -> None:
    rows = log_of(*lengths)
    known = data.draw(st.integers(1, len(rows)))
    receiver = LogReceiver(head(rows[known - 1]), {row.at.epoch for row in rows[:known]}, SOURCE)
    assert fed(receiver, rows) == at(rows[known:])


def test_only_what_the_caller_committed_is_acknowledged() -> None:
    rows = log_of(3)
    receiver = LogReceiver(None, [], SOURCE)
    assert receiver.position(hello=True) == ConsumerPosition(at=None, hash=None, hello=True)
    fed(receiver, rows)
    assert receiver.position() == ConsumerPosition(at=None, hash=None)
    receiver.committed(head(rows[1]))
    assert receiver.position() == ConsumerPosition(at=rows[1].at, hash=rows[1].hash)


def test_what_waits_is_bounded_and_comes_again() -> None:
    rows = log_of(10)
    receiver = LogReceiver(None, [], SOURCE, held_rows=3)
    assert fed(receiver, rows[1:]) == []
    assert receiver.overflowed == 6
    assert fed(receiver, rows) == at(rows)


def test_an_epoch_that_was_left_is_never_followed_back() -> None:
    rows = log_of(3, 2)
    receiver = behind(rows)
    late, _ = writer_at(rows[2]).write()  # a fourth row of the first epoch
    assert receiver.take(late.body) == Taken()
    assert receiver.taken == head(rows[-1])
    assert receiver.duplicates == 1


def test_several_epochs_that_passed_unseen_are_followed_in_their_order() -> None:
    rows = log_of(2, 1, 1, 3)
    receiver = behind(rows[:2])
    assert fed(receiver, [rows[4], rows[3], rows[5]]) == []
    assert fed(receiver, [rows[2]]) == at(rows[2:6])


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_restored_disk_is_a_fork(after: int) -> None:
    rows = log_of(4)
    receiver = behind(rows)
    opening, writer = writer_at(rows[after - 1]).open("twin")
    fork = forked(receiver.take(opening.body))
    assert f"e1/{after}, which is not where ours ends" in fork.reason
    assert receiver.taken == head(rows[-1])
    second, _ = writer.write()
    assert receiver.take(second.body) == Taken()
    assert [row.at for row in receiver.adopt(fork).rows] == [opening.at, second.at]
    assert receiver.take(rows[-1].body) == Taken()


def test_a_wiped_disk_is_a_fork() -> None:
    rows = log_of(4)
    receiver = behind(rows)
    opening, writer = LogWriter().open("new")
    fork = forked(receiver.take(opening.body))
    assert "begins anew" in fork.reason
    assert [row.at for row in receiver.adopt(fork).rows] == [opening.at]
    assert fed(receiver, [writer.write()[0]]) == [Position(epoch="new", number=2)]


def test_a_copied_disk_is_a_fork_whichever_comes_second() -> None:
    rows = log_of(3)
    (one, _), (two, _) = writer_at(rows[-1]).open("one"), writer_at(rows[-1]).open("two")
    receiver = behind(rows)
    assert fed(receiver, [one]) == [one.at]
    assert "e1/3" in forked(receiver.take(two.body)).reason


def test_a_disk_restored_to_a_state_that_we_never_saw_is_a_fork_once_its_parent_is_known() -> None:
    rows = log_of(3)
    other = writer_at(rows[1]).write(salt=5)[0]
    opening, _ = writer_at(other).open("twin")
    receiver = behind(rows)
    assert "e1/3" in forked(receiver.take(opening.body)).reason


def test_another_row_at_a_number_that_we_have_is_a_fork() -> None:
    rows = log_of(4)
    for number in (2, 4):
        twin, _ = writer_at(rows[number - 2]).write(salt=5)
        receiver = behind(rows)
        fork = forked(receiver.take(twin.body))
        assert fork.reason == "the same number had another row"
        with pytest.raises(ValueError, match=f"row e1/{number} opens no epoch"):
            receiver.adopt(fork)
    receiver = LogReceiver(head(rows[3]), ["e1"], SOURCE)
    assert forked(receiver.take(writer_at(rows[2]).write(salt=5)[0].body))


def test_an_opening_must_name_the_row_that_it_follows() -> None:
    rows = log_of(3)
    ours, elsewhere = writer_at(rows[-1]), Head(at=Position(epoch="unseen", number=4), hash="ab" * 32)
    stranger, _ = ours.row("new", 1, EpochOpened(parent=elsewhere, signer="0" * 64, signature=SIGNATURE))
    receiver = behind(rows)
    assert receiver.take(stranger.body) == Taken()
    assert receiver.taken == head(rows[-1])
    other = EpochOpened(parent=head(rows[-1]), signer="0" * 64, signature=SIGNATURE)
    contradiction, _ = LogWriter(elsewhere).row("other", 1, other)
    assert "names one parent and follows another" in forked(behind(rows).take(contradiction.body)).reason


def test_a_row_with_another_predecessor_is_a_fork_also_when_it_waited() -> None:
    rows = log_of(5)
    twin, writer = writer_at(rows[1]).write(salt=5)
    next_of_twin, _ = writer.write()
    receiver = behind(rows[:3])
    assert "another predecessor" in forked(receiver.take(next_of_twin.body)).reason
    receiver = behind(rows[:2])
    assert receiver.take(next_of_twin.body) == Taken()
    taken = receiver.take(rows[2].body)
    assert [row.at for row in taken.rows] == [rows[2].at]
    assert taken.forked is not None
    assert taken.forked.row.hash == next_of_twin.hash
    del twin


def test_an_opening_that_waited_and_then_turns_out_a_fork_is_said() -> None:
    rows = log_of(3)
    opening, _ = writer_at(rows[1]).open("twin")
    receiver = behind(rows[:1])
    assert receiver.take(opening.body) == Taken()
    assert [row.at for row in receiver.take(rows[1].body).rows] == [rows[1].at, opening.at]
    receiver = behind(rows[:1])
    assert receiver.take(opening.body) == Taken()
    assert receiver.take(rows[2].body) == Taken()
    taken = receiver.take(rows[1].body)
    assert [row.at for row in taken.rows] == at(rows[1:3])
    assert taken.forked is not None
    assert taken.forked.row.at == opening.at


def test_a_row_of_an_unknown_version_keeps_its_place_and_is_named() -> None:
    first, writer = LogWriter().open("e1")
    unknown = writer.write()[0].body.replace(b'"clock.tick"', b'"clock.tock"')
    after = Head(at=Position(epoch="e1", number=2), hash=digest(unknown))
    third, _ = LogWriter(after).write()
    receiver = LogReceiver(None, [], SOURCE)
    assert receiver.take(third.body) == Taken()
    assert receiver.take(unknown) == Taken()
    one, two, three = receiver.take(first.body).rows
    assert (one.event is None, two.event is None, three.event is None) == (False, True, False)
    assert (two.body, two.hash) == (unknown, digest(unknown))
    assert "not a LogEvent" in two.reason
    assert receiver.taken == head(third)


@pytest.mark.parametrize("payload", [b"", b"null", b"{", b"\xff", b'{"epoch":"e1"}', b"[" * 70_000])
def test_what_is_no_row_at_all_changes_nothing(payload: bytes) -> None:
    receiver = behind(log_of(2))
    taken = receiver.take(payload)
    assert taken.garbage
    assert (taken.rows, taken.forked) == ((), None)


def test_a_row_of_another_table_is_refused() -> None:
    (row,) = log_of(1)
    taken = LogReceiver(None, [], "/site/t2/").take(row.body)
    assert taken.garbage == "a row of another table: its source does not begin with /site/t2/"


def rewritten(row: NewRow, **changed: object) -> bytes:
    return json.dumps(json.loads(row.body) | changed).encode()


def test_a_first_row_that_nobody_signed_opens_nothing() -> None:
    rows = log_of(2, 2)
    receiver = LogReceiver(None, [], SOURCE, believed=lambda _opening: False)
    assert receiver.take(rows[0].body).garbage is not None
    outline = {"source": f"{SOURCE}x", "epoch": "evil", "tableseq": 1, "prevhash": "0" * 64}
    honest = behind(rows[:2])
    assert honest.take(json.dumps(outline).encode()).garbage is not None
    assert fed(honest, rows[2:]) == at(rows[2:])


def test_an_id_that_is_not_the_rows_place_is_no_row() -> None:
    rows = log_of(3)
    receiver = behind(rows[:2])
    garbage = receiver.take(rewritten(rows[2], id=f"{rows[2].at.epoch}/1")).garbage
    assert garbage is not None
    assert "seals are bound to" in garbage
    assert fed(receiver, rows[2:]) == at(rows[2:])


@pytest.mark.parametrize(
    "changed", [{"time": "2024-99-99T99:99:99.000Z"}, {"logms": 2**53 - 1}], ids=["no date", "no log time"]
)
def test_a_row_with_a_time_that_cannot_be_has_its_place_and_is_not_judged(changed: dict[str, object]) -> None:
    rows = log_of(3)
    receiver = behind(rows[:2])
    [row] = receiver.take(rewritten(rows[2], **changed)).rows
    assert row.at == rows[2].at
    assert row.event is None
    assert "time" in row.reason


def test_an_epoch_that_was_followed_is_not_adopted_again() -> None:
    rows = log_of(3)
    receiver = behind(rows)
    again = receiver.take(rewritten(rows[0], clockerror=77)).forked
    assert again is not None
    assert not receiver.adoptable(again)
    with pytest.raises(ValueError, match="no epoch that is new"):
        receiver.adopt(again)

"""The receiver's window of row hashes, against a plain list of them."""

from hypothesis import given
from hypothesis import strategies as st

from pitwarden_client.chain.lineage import HashWindow
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest


@given(
    first=st.integers(1, 9), lengths=st.lists(st.integers(1, 7), min_size=1, max_size=6), most=st.integers(1, 8),
)  # fmt: skip
def test_the_last_rows_are_known_and_no_others(first: int, lengths: list[int], most: int) -> None:
    recent, rows = HashWindow(most), list[Position]()
    for epoch, length in enumerate(lengths):
        begins = first if epoch == 0 else 1
        rows += [Position(epoch=f"e{epoch}", number=begins + number) for number in range(length)]
    for count, row in enumerate(rows, 1):
        recent.add(row, _hash(row))
        known = rows[max(0, count - most) : count]
        assert [recent.hash_of(each) for each in known] == [_hash(each) for each in known]
        unknown = [each for each in rows if each not in known]
        unknown += [Position(epoch="e0", number=first + 99), Position(epoch="other", number=1)]
        assert [recent.hash_of(each) for each in unknown] == [None] * len(unknown)


def _hash(row: Position) -> str:
    return digest(f"{row.epoch}/{row.number}".encode())

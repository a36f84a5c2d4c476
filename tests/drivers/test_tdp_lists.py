"""Lists that TDP sends in parts: whole, or none."""

from hypothesis import given
from hypothesis import strategies as st
from pitwarden_client.events.card_faces import FACES

from pitwarden_drivers.tdp.frames_list import Begin, End, Gathering, Items, listed
from pitwarden_drivers.tdp.meaning import MAX_STACK


@given(st.lists(st.sampled_from(sorted(FACES)), min_size=1, max_size=MAX_STACK), st.data())
def test_a_list_with_any_part_missing_doubled_or_exchanged_is_no_list(faces: list[int], data: st.DataObject) -> None:
    begin, *parts, end = listed(0x14, 7, 1, bytes(faces))
    assert isinstance(begin, Begin)
    assert isinstance(end, End)
    broken = data.draw(st.lists(st.sampled_from(parts), max_size=4).filter(lambda drawn: drawn != parts))
    gathering = Gathering(begin)
    for part in broken:
        assert isinstance(part, Items)
        gathering.add(part)
    assert gathering.finish(end) is None


def test_a_list_under_another_number_or_with_another_checksum_is_no_list() -> None:
    for begin, items, end in (
        (Begin(0x14, 7, 1, 1, 0), Items(1, 0, b"\x05"), End(1)),
        (Begin(0x14, 7, 1, 1, 0xA4DEAE1D), Items(2, 0, b"\x05"), End(1)),
        (Begin(0x14, 7, 1, 0, 0), Items(1, 0, b""), End(2)),
    ):
        gathering = Gathering(begin)
        gathering.add(items)
        assert gathering.finish(end) is None

"""Lists that TDP sends in parts: whole, or none."""

from hypothesis import given
from hypothesis import strategies as st

from pitwarden_client.events.card_faces import FACES
from pitwarden_drivers.tdp.frames_list import ListAssembler, ListBeginFrame, ListEndFrame, ListItemsFrame, list_frames
from pitwarden_drivers.tdp.meaning import MAX_STACK


@given(st.lists(st.sampled_from(sorted(FACES)), min_size=1, max_size=MAX_STACK), st.data())
def test_a_list_with_any_part_missing_doubled_or_exchanged_is_no_list(faces: list[int], data: st.DataObject) -> None:
    begin, *parts, end = list_frames(0x14, 7, 1, bytes(faces))
    assert isinstance(begin, ListBeginFrame)
    assert isinstance(end, ListEndFrame)
    broken = data.draw(st.lists(st.sampled_from(parts), max_size=4).filter(lambda drawn: drawn != parts))
    gathering = ListAssembler(begin)
    for part in broken:
        assert isinstance(part, ListItemsFrame)
        gathering.add(part)
    assert gathering.finish(end) is None


def test_a_list_under_another_number_or_with_another_checksum_is_no_list() -> None:
    for begin, items, end in (
        (ListBeginFrame(0x14, 7, 1, 1, 0), ListItemsFrame(1, 0, b"\x05"), ListEndFrame(1)),
        (ListBeginFrame(0x14, 7, 1, 1, 0xA4DEAE1D), ListItemsFrame(2, 0, b"\x05"), ListEndFrame(1)),
        (ListBeginFrame(0x14, 7, 1, 0, 0), ListItemsFrame(1, 0, b""), ListEndFrame(2)),
    ):
        gathering = ListAssembler(begin)
        gathering.add(items)
        assert gathering.finish(end) is None

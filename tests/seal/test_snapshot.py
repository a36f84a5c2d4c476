import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden.seal.errors import SnapshotTooLargeError
from pitwarden.seal.keys import PrivateKey
from pitwarden.seal.sealing import open_snapshot, seal_snapshot
from pitwarden_client.verification.errors import SealUnreadableError

KEY, OLD = PrivateKey.generate(), PrivateKey.generate()
AT = ("t1", "e1", "7", "rules-1")


@given(plain=st.binary(max_size=300), others=st.binary(max_size=300))
def test_it_opens_with_its_key_at_its_place_and_has_one_length(plain: bytes, others: bytes) -> None:
    box = seal_snapshot(KEY, AT, plain, 300)
    assert open_snapshot([OLD, KEY], AT, box) == plain
    assert len(box) == len(seal_snapshot(KEY, AT, others, 300))
    for keys, context in (([OLD], AT), ([], AT), ([KEY], ("t2", *AT[1:])), ([KEY], ("t1", "e17", "", "rules-1"))):
        with pytest.raises(SealUnreadableError, match="opens with none"):
            open_snapshot(keys, context, box)


@given(cut=st.integers(0, 300), flip=st.integers(0, 299))
def test_a_damaged_snapshot_does_not_open(cut: int, flip: int) -> None:
    box = seal_snapshot(KEY, AT, b"state", 300)
    flipped = box[:flip] + bytes([box[flip] ^ 1]) + box[flip + 1 :]
    for damaged in (box[:cut], flipped):
        with pytest.raises(SealUnreadableError):
            open_snapshot([KEY], AT, damaged)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(SnapshotTooLargeError, match="takes 301 bytes; 300 are set aside"):
        seal_snapshot(KEY, AT, b"x" * 301, 300)

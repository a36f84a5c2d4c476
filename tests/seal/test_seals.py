import hashlib
from base64 import b64decode, b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden.seal import sodium
from pitwarden.seal.keys import PrivateKey, SigningKey
from pitwarden.seal.sealing import Opener, Sealer
from pitwarden.seal.signed_rows import sign_key_announced
from pitwarden_client.events.card_faces import FACES, Sealed, face_name
from pitwarden_client.events.outputs import ReaderRevealed, Reveal
from pitwarden_client.verification.commitment import commitment, event_id, secret_context, verify_reveal
from pitwarden_client.verification.errors import SealUnreadableError
from testkit.journals.sealed_rows import epoch_keys

SOURCE = "/site/t1/shoe"
NIGHT = epoch_keys()


@given(value=st.integers(0, 255), index=st.integers(0, 415), number=st.integers(1, 2**53 - 1))
def test_what_was_sealed_opens_at_its_place_only(value: int, index: int, number: int) -> None:
    event = event_id("e1", number)
    sealed = NIGHT.sealer.seal(SOURCE, event, index, value)
    assert NIGHT.opener.open(SOURCE, event, index, sealed).value == value
    for source, at, which in (
        ("/site/t1/other", event, index),
        (SOURCE, event_id("e1", number - 1), index),
        (SOURCE, event, index + 1),
    ):
        with pytest.raises(SealUnreadableError, match="does not open"):
            NIGHT.opener.open(source, at, which, sealed)


@given(value=st.integers(0, 255), flip=st.integers(0, 72), bit=st.integers(0, 7))
def test_any_flipped_bit_is_noticed(value: int, flip: int, bit: int) -> None:
    sealed = NIGHT.sealer.seal(SOURCE, "e1/1", 0, value)
    box = bytearray(b64decode(sealed.box))
    box[flip] ^= 1 << bit
    with pytest.raises(SealUnreadableError):
        NIGHT.opener.open(SOURCE, "e1/1", 0, sealed.model_copy(update={"box": b64encode(box).decode()}))


def test_a_seal_has_one_length_and_never_repeats() -> None:
    seals = [NIGHT.sealer.seal(SOURCE, "e1/1", 0, value) for value in (*range(256), 7, 7)]
    assert {(len(s.box), len(s.commitment)) for s in seals} == {(100, 64)}
    assert len({s.box for s in seals}) == len({s.commitment for s in seals}) == len(seals)


def test_the_commitment_is_what_its_docstring_says() -> None:
    blind = bytes(range(32))
    fields = (b"/site/t1/shoe", b"e1/7", b"\0\0\0\x05", b"\x0c", blind)
    by_hand = b"".join(len(f).to_bytes(4, "big") + f for f in fields)
    assert commitment("/site/t1/shoe", "e1/7", 5, 12, blind) == hashlib.sha256(by_hand).hexdigest()


@given(face=st.sampled_from(sorted(FACES)), other=st.sampled_from(sorted(FACES)))
def test_anyone_can_check_a_reveal(face: int, other: int) -> None:
    sealed = NIGHT.sealer.seal(SOURCE, "e1/9", 3, face)
    opened = NIGHT.opener.open(SOURCE, "e1/9", 3, sealed)

    def reveal(told: int, index: int = 3, committed: str = sealed.commitment) -> Reveal:
        return Reveal(
            epoch="e1",
            event=9,
            index=index,
            slot="burn",
            face=face_name(told),
            blind=opened.blind,
            commitment=committed,
        )

    assert verify_reveal(SOURCE, reveal(face), sealed.commitment)
    assert verify_reveal(SOURCE, reveal(other), sealed.commitment) == (face == other)
    assert not verify_reveal(SOURCE, reveal(face, index=2), sealed.commitment)
    assert not verify_reveal(SOURCE, reveal(face, committed="0" * 64), sealed.commitment)
    assert not verify_reveal(SOURCE, reveal(face), "0" * 64)


@pytest.mark.parametrize("bit", [False, True])
def test_anyone_can_check_the_reader_s_answer(*, bit: bool) -> None:
    sealed = NIGHT.sealer.seal("/site/t1/reader", "e1/9", 0, int(bit))
    blind = NIGHT.opener.open("/site/t1/reader", "e1/9", 0, sealed).blind
    for told in (False, True):
        answer = ReaderRevealed(epoch="e1", event=9, blackjack=told, blind=blind, commitment=sealed.commitment)
        assert verify_reveal("/site/t1/reader", answer, sealed.commitment) == (told == bit)


def test_a_field_that_commits_to_another_face_is_noticed() -> None:
    one, two = (NIGHT.sealer.seal(SOURCE, "e1/1", 0, value) for value in (1, 2))
    with pytest.raises(SealUnreadableError, match="something else than the row committed to"):
        NIGHT.opener.open(SOURCE, "e1/1", 0, Sealed(key=one.key, box=one.box, commitment=two.commitment))


def test_a_seal_of_another_length_is_refused() -> None:
    key = sodium.random_bytes(32)
    long = Sealed(
        key="k",
        box=b64encode(sodium.aead_seal(key, b"x" * 40, secret_context(SOURCE, "e1/1", 0))).decode(),
        commitment="0" * 64,
    )
    night = epoch_keys()
    night.opener.add_key("e1", sign_key_announced(night.signer, night.scope, "k", key, [night.judge.public_key]))
    with pytest.raises(SealUnreadableError, match="no secret byte"):
        night.opener.open(SOURCE, "e1/1", 0, long)


@pytest.mark.parametrize("box", ["", "AAAA", "A", "AAAAA", "=="])
def test_a_box_that_is_none_is_refused(box: str) -> None:
    with pytest.raises(SealUnreadableError, match="does not open"):
        NIGHT.opener.open(SOURCE, "e1/1", 0, Sealed(key="e1-1", box=box, commitment="0" * 64))


def test_seals_of_an_unannounced_key_or_of_another_epoch_stay_shut() -> None:
    other = Sealer(NIGHT.signer, NIGHT.scope, "e1-2", [NIGHT.judge.public_key])
    sealed = other.seal(SOURCE, "e1/1", 0, 5)
    with pytest.raises(SealUnreadableError, match="not announced"):
        NIGHT.opener.open(SOURCE, "e1/1", 0, sealed)
    with pytest.raises(SealUnreadableError, match="not announced"):
        NIGHT.opener.open(SOURCE, "e2/1", 0, NIGHT.sealer.seal(SOURCE, "e2/1", 0, 5))


def test_an_old_private_key_still_opens_and_another_judge_does_not() -> None:
    night, new = epoch_keys(), PrivateKey.generate()
    sealed = night.sealer.seal(SOURCE, "e1/1", 0, 51)
    both = Opener([new, night.judge], [night.signer.public], "site", "t1")
    both.add_key("e1", night.sealer.announcement)
    assert both.open(SOURCE, "e1/1", 0, sealed).value == 51
    with pytest.raises(SealUnreadableError, match="other judges"):
        Opener([new], [night.signer.public], "site", "t1").add_key("e1", night.sealer.announcement)


def test_several_judges_each_open() -> None:
    signer, judges = SigningKey.generate(), [PrivateKey.generate() for _ in range(3)]
    sealer = Sealer(signer, NIGHT.scope, "k", [judge.public_key for judge in judges])
    sealed = sealer.seal(SOURCE, "e1/1", 0, 9)
    for judge in judges:
        opener = Opener([judge], [signer.public], "site", "t1")
        opener.add_key("e1", sealer.announcement)
        assert opener.open(SOURCE, "e1/1", 0, sealed).value == 9


@settings(max_examples=25)
@given(value=st.integers(0, 51))
def test_no_secret_stands_in_a_repr_or_an_error(value: int) -> None:
    night = epoch_keys()
    sealed = night.sealer.seal(SOURCE, "e1/1", 0, value)
    opened = night.opener.open(SOURCE, "e1/1", 0, sealed)
    with pytest.raises(SealUnreadableError) as refused:
        night.opener.open(SOURCE, "e1/2", 0, sealed)
    shown = "".join(map(repr, (opened, night.sealer, night.opener, night.judge, night.signer, refused.value)))
    for secret in (opened.blind, night.judge.raw.hex(), repr(night.judge.raw), night.signer.raw.hex(), "value="):
        assert secret not in shown

from base64 import b64encode
from dataclasses import replace

import pytest

from pitwarden.seal import sodium
from pitwarden.seal.keys import PrivateKey, PublicKey
from pitwarden.seal.signed_rows import sign_epoch_opened, sign_key_announced
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import SigningScope, verify_epoch_opened, verify_key_announced
from testkit.journals.sealed_rows import epoch_keys

NIGHT = epoch_keys()
TRUSTED = [NIGHT.signer.public]
PARENT = Head(at=Position(epoch="e0", number=7), hash="ab" * 32)


@pytest.mark.parametrize("parent", [None, PARENT])
def test_an_opening_verifies_for_its_own_table_and_epoch_only(parent: Head | None) -> None:
    opened = sign_epoch_opened(NIGHT.signer, NIGHT.scope, parent)
    verify_epoch_opened(opened, NIGHT.scope, TRUSTED)
    for change in ({"site": "x"}, {"table": "x"}, {"epoch": "x"}):
        with pytest.raises(SealUnreadableError, match="does not verify"):
            verify_epoch_opened(opened, replace(NIGHT.scope, **change), TRUSTED)


def test_an_opening_with_another_parent_does_not_verify() -> None:
    opened = sign_epoch_opened(NIGHT.signer, NIGHT.scope, PARENT)
    moved = Head(at=Position(epoch="e0", number=8), hash=PARENT.hash)
    for parent in (None, moved, PARENT.model_copy(update={"hash": "cd" * 32})):
        with pytest.raises(SealUnreadableError, match="does not verify"):
            verify_epoch_opened(opened.model_copy(update={"parent": parent}), NIGHT.scope, TRUSTED)


def test_a_signature_by_an_unknown_key_is_refused() -> None:
    stranger = epoch_keys()
    with pytest.raises(SealUnreadableError, match="no trusted key"):
        verify_epoch_opened(sign_epoch_opened(stranger.signer, NIGHT.scope, None), NIGHT.scope, TRUSTED)
    with pytest.raises(SealUnreadableError, match="no trusted key"):
        NIGHT.opener.add_key("e1", stranger.sealer.announcement)
    forged = sign_epoch_opened(stranger.signer, NIGHT.scope, None).model_copy(update={"signer": TRUSTED[0]})
    with pytest.raises(SealUnreadableError, match="does not verify"):
        verify_epoch_opened(forged, NIGHT.scope, TRUSTED)


@pytest.mark.parametrize("length", [65, 66])
def test_a_signature_of_another_length_is_refused(length: int) -> None:
    opened = sign_epoch_opened(NIGHT.signer, NIGHT.scope, None)
    long = opened.model_copy(update={"signature": b64encode(b"x" * length).decode()})
    with pytest.raises(SealUnreadableError, match="does not verify"):
        verify_epoch_opened(long, NIGHT.scope, TRUSTED)


def test_an_announcement_cannot_be_changed_or_moved() -> None:
    announced = NIGHT.sealer.announcement
    verify_key_announced(announced, NIGHT.scope, TRUSTED)
    other = epoch_keys().sealer.announcement
    for change in ({"key": "e1-2"}, {"wrapped": ()}, {"wrapped": other.wrapped}, {"signature": other.signature}):
        with pytest.raises(SealUnreadableError, match="does not verify"):
            NIGHT.opener.add_key("e1", announced.model_copy(update=change))
    for scope in (
        SigningScope("site", "t1", "e2"),
        SigningScope("site", "t2", "e1"),
        SigningScope("other", "t1", "e1"),
    ):
        with pytest.raises(SealUnreadableError, match="does not verify"):
            verify_key_announced(announced, scope, TRUSTED)


@pytest.mark.parametrize("key", [b"", b"k" * 31, b"k" * 33])
def test_a_wrapped_key_of_another_length_is_refused(key: bytes) -> None:
    announced = sign_key_announced(NIGHT.signer, NIGHT.scope, "k", key, [NIGHT.judge.public_key])
    with pytest.raises(SealUnreadableError, match=f"{len(key)} bytes instead of 32"):
        NIGHT.opener.add_key("e1", announced)


class _Misled(PublicKey):
    """Bears one judge's fingerprint over another's key."""

    @property
    def text(self) -> str:
        return NIGHT.judge.public


def test_a_key_wrapped_for_another_judge_under_our_fingerprint_is_refused() -> None:
    misled = _Misled(PrivateKey.generate().public_key.raw)
    announced = sign_key_announced(NIGHT.signer, NIGHT.scope, "k", b"k" * 32, [misled])
    with pytest.raises(SealUnreadableError, match="does not unwrap"):
        NIGHT.opener.add_key("e1", announced)


@pytest.mark.parametrize("raw", [b"", b"short", bytes(32)])
def test_a_public_key_that_is_none_takes_no_secret(raw: bytes) -> None:
    with pytest.raises(sodium.CryptoError, match="no key"):
        sign_key_announced(NIGHT.signer, NIGHT.scope, "k", b"k" * 32, [PublicKey(raw)])

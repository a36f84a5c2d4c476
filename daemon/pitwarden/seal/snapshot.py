"""Snapshots of the judge's state on disk: sealed to the judge's own key at one length, bound to their place."""

from collections.abc import Sequence
from typing import Final

from pitwarden_client.verification.commitment import framed
from pitwarden_client.verification.errors import SealUnreadableError

from pitwarden.seal import sodium
from pitwarden.seal.faults import SnapshotTooLargeError
from pitwarden.seal.keys import PrivateKey

SNAPSHOT_BYTES: Final = 262_144
_PURPOSE: Final = b"pw snapshot 1"
_LENGTH_BYTES: Final = 4


def seal_snapshot(key: PrivateKey, context: Sequence[str], plain: bytes, size: int = SNAPSHOT_BYTES) -> bytes:
    """`plain` padded to `size` bytes and sealed, bound to `context` (table, epoch, number, versions).

    SnapshotTooLargeError when it does not fit.
    """
    if len(plain) > size:
        raise SnapshotTooLargeError(f"the snapshot takes {len(plain)} bytes; {size} are set aside for each")
    padded = len(plain).to_bytes(_LENGTH_BYTES, "big") + plain.ljust(size, b"\0")
    return sodium.aead_seal(sodium.derived_key(key.raw, _PURPOSE), padded, _bound(context))


def open_snapshot(keys: Sequence[PrivateKey], context: Sequence[str], box: bytes) -> bytes:
    """What `seal_snapshot` sealed with one of `keys` and this context; SealUnreadableError otherwise."""
    for key in keys:
        try:
            padded = sodium.aead_open(sodium.derived_key(key.raw, _PURPOSE), box, _bound(context))
        except sodium.RefusedError:
            continue
        length = int.from_bytes(padded[:_LENGTH_BYTES], "big")
        return padded[_LENGTH_BYTES : _LENGTH_BYTES + length]
    raise SealUnreadableError(f"the snapshot at {' '.join(context)} opens with none of this judge's {len(keys)} keys")


def _bound(context: Sequence[str]) -> bytes:
    return framed(*(part.encode() for part in context))

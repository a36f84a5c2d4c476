"""Sealing of secrets, opening of seals, and sealed snapshots.

The field half seals each secret byte under a key that exists in memory only. The judge opens seals with the keys that
were announced to it. A snapshot of the judge's state is sealed to the judge's own key, at a constant length, and bound
to its place.

Threat: a client that forges rows, and a person who reads the bus or the disks.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from pitwarden.seal import sodium
from pitwarden.seal.errors import SnapshotTooLargeError
from pitwarden.seal.keys import PrivateKey, PublicKey, SigningKey
from pitwarden.seal.signed_rows import sign_key_announced
from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.events.table import KeyAnnounced
from pitwarden_client.verification.commitment import BLIND_BYTES, commitment_in_context, length_prefixed, secret_context
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import SigningScope, verify_key_announced

PLAIN_BYTES: Final = 1 + BLIND_BYTES  # every seal has this length, whatever it holds


class Sealer:
    """Sealing key of one epoch of one table. A renewal is a new Sealer; the old key is dropped with the old object.

    `key_id` must be new in its epoch. Rows may be sealed once `announcement` is in the log.
    """

    __slots__ = ("_key", "announcement", "key_id")

    def __init__(self, signer: SigningKey, scope: SigningScope, key_id: str, judges: Sequence[PublicKey]) -> None:
        self._key = sodium.random_bytes(sodium.KEY_BYTES)
        self.key_id = key_id
        self.announcement = sign_key_announced(signer, scope, key_id, self._key, judges)

    def seal(self, source: str, event_id: str, index: int, value: int) -> Sealed:
        """Seal the byte `value` (0 to 255), bound to its place, at constant length, and commit to it."""
        where = secret_context(source, event_id, index)
        blind = sodium.random_bytes(BLIND_BYTES)
        box = sodium.aead_seal(self._key, bytes((value,)) + blind, where)
        return Sealed(
            key=self.key_id, box=b64encode(box).decode(), commitment=commitment_in_context(where, value, blind)
        )


@dataclass(frozen=True, slots=True)
class OpenedSecret:
    """Content of a seal: the secret byte, and the blind in hexadecimal that a reveal publishes with it."""

    value: int = field(repr=False)
    blind: str = field(repr=False)


class Opener:
    """Opener of one table's seals, for a judge with these private keys, old ones included.

    `trusted` holds the verify keys of the table's field half, in hexadecimal.
    """

    __slots__ = ("_keys", "_private", "_site", "_table", "_trusted")

    def __init__(self, private: Sequence[PrivateKey], trusted: Collection[str], site: str, table: str) -> None:
        self._private = {key.public: key for key in private}
        self._trusted = frozenset(trusted)
        self._site, self._table = site, table
        self._keys: dict[tuple[str, str], bytes] = {}

    def add_key(self, epoch: str, announced: KeyAnnounced) -> None:
        """Add the key of a `key.announced` row of `epoch`.

        Raises:
            SealUnreadableError: The row is forged, or the key is not wrapped for this judge.
        """
        verify_key_announced(announced, SigningScope(self._site, self._table, epoch), self._trusted)
        for wrapped in announced.wrapped:
            private = self._private.get(wrapped.recipient)
            if private is not None:
                self._keys[epoch, announced.key] = _unwrapped(private, wrapped.box, epoch, announced.key)
                return
        raise SealUnreadableError(f"key {announced.key} of epoch {epoch} is wrapped for other judges only")

    def open(self, source: str, event_id: str, index: int, sealed: Sealed) -> OpenedSecret:
        """Return the content of `sealed` at this place.

        Raises:
            SealUnreadableError: The seal does not open, or its commitment does not match.
        """
        where = f"row {event_id} of {source}, card {index}"
        key = self._keys.get((event_id.partition("/")[0], sealed.key))
        if key is None:
            raise SealUnreadableError(f"{where}: its key {sealed.key} was not announced to this judge in that epoch")
        bound_to = secret_context(source, event_id, index)
        try:
            plain = sodium.aead_open(key, _raw(sealed.box), bound_to)
        except sodium.CryptoError:
            raise SealUnreadableError(f"{where}: the seal does not open") from None
        if len(plain) != PLAIN_BYTES:
            raise SealUnreadableError(f"{where}: the seal holds no secret byte with its blind")
        value, blind = plain[0], plain[1:]
        if commitment_in_context(bound_to, value, blind) != sealed.commitment:
            raise SealUnreadableError(f"{where}: the seal holds something else than the row committed to")
        return OpenedSecret(value, blind.hex())


def _unwrapped(private: PrivateKey, box: str, epoch: str, key_id: str) -> bytes:
    try:
        key = sodium.unwrap(private.raw, _raw(box))
    except sodium.CryptoError:
        raise SealUnreadableError(f"key {key_id} of epoch {epoch} does not unwrap") from None
    if len(key) != sodium.KEY_BYTES:
        raise SealUnreadableError(f"key {key_id} of epoch {epoch} has {len(key)} bytes instead of {sodium.KEY_BYTES}")
    return key


def _raw(box: str) -> bytes:
    try:
        return b64decode(box)
    except Base64Error:
        return b""  # opens under no key


# Bytes of each sealed snapshot, whatever its content. A larger state stores none, and the next start judges more rows.
SNAPSHOT_BYTES: Final = 262_144
_PURPOSE: Final = b"pw snapshot 1"
_LENGTH_BYTES: Final = 4


def seal_snapshot(key: PrivateKey, context: Sequence[str], plain: bytes, size: int = SNAPSHOT_BYTES) -> bytes:
    """Return `plain`, padded to `size` bytes and sealed, bound to `context` (table, epoch, number, versions).

    Raises:
        SnapshotTooLargeError: It does not fit.
    """
    if len(plain) > size:
        raise SnapshotTooLargeError(f"the snapshot takes {len(plain)} bytes; {size} are set aside for each")
    # A constant length, because the size of the state would disclose how many hidden cards it contains.
    padded = len(plain).to_bytes(_LENGTH_BYTES, "big") + plain.ljust(size, b"\0")
    return sodium.aead_seal(sodium.derived_key(key.raw, _PURPOSE), padded, _bound(context))


def open_snapshot(keys: Sequence[PrivateKey], context: Sequence[str], box: bytes) -> bytes:
    """Return what `seal_snapshot` sealed with one of `keys` and this context.

    Raises:
        SealUnreadableError: It opens with none of them.
    """
    for key in keys:
        try:
            padded = sodium.aead_open(sodium.derived_key(key.raw, _PURPOSE), box, _bound(context))
        except sodium.CryptoError:
            continue
        length = int.from_bytes(padded[:_LENGTH_BYTES], "big")
        return padded[_LENGTH_BYTES : _LENGTH_BYTES + length]
    raise SealUnreadableError(f"the snapshot at {' '.join(context)} opens with none of this judge's {len(keys)} keys")


def _bound(context: Sequence[str]) -> bytes:
    return length_prefixed(*(part.encode() for part in context))

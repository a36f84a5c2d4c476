"""The judge's side of secrecy: opens seals with the keys that were announced to it. The adversary may forge rows."""

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.events.table import KeyAnnounced
from pitwarden_client.verification.commitment import commitment_at, place
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import Scope, check_key

from pitwarden.seal import sodium
from pitwarden.seal.keys import PrivateKey
from pitwarden.seal.sealer import PLAIN_BYTES


@dataclass(frozen=True, slots=True)
class Opened:
    """What a seal held: the secret byte, and the blind in hexadecimal that a reveal publishes with it."""

    value: int = field(repr=False)
    blind: str = field(repr=False)


class Opener:
    """The seals of one table, for a judge with these private keys (old ones too) that trusts these verify keys.

    `trusted` holds the verify keys of the table's field half in hexadecimal.
    """

    __slots__ = ("_keys", "_private", "_site", "_table", "_trusted")

    def __init__(self, private: Sequence[PrivateKey], trusted: Collection[str], site: str, table: str) -> None:
        self._private = {key.public: key for key in private}
        self._trusted = frozenset(trusted)
        self._site, self._table = site, table
        self._keys: dict[tuple[str, str], bytes] = {}

    def learn(self, epoch: str, announced: KeyAnnounced) -> None:
        """Takes the key of a `key.announced` row of `epoch`; SealUnreadableError when it is forged or not for us."""
        check_key(announced, Scope(self._site, self._table, epoch), self._trusted)
        for wrapped in announced.wrapped:
            private = self._private.get(wrapped.recipient)
            if private is not None:
                self._keys[epoch, announced.key] = _unwrapped(private, wrapped.box, epoch, announced.key)
                return
        raise SealUnreadableError(f"key {announced.key} of epoch {epoch} is wrapped for other judges only")

    def open(self, source: str, event_id: str, index: int, sealed: Sealed) -> Opened:
        """What `sealed` holds at this place; SealUnreadableError when it does not open or its commitment disagrees."""
        where = f"row {event_id} of {source}, card {index}"
        key = self._keys.get((event_id.partition("/")[0], sealed.key))
        if key is None:
            raise SealUnreadableError(f"{where}: its key {sealed.key} was not announced to this judge in that epoch")
        bound_to = place(source, event_id, index)
        try:
            plain = sodium.aead_open(key, _raw(sealed.box), bound_to)
        except sodium.RefusedError:
            raise SealUnreadableError(f"{where}: the seal does not open") from None
        if len(plain) != PLAIN_BYTES:
            raise SealUnreadableError(f"{where}: the seal holds no secret byte with its blind")
        value, blind = plain[0], plain[1:]
        if commitment_at(bound_to, value, blind) != sealed.commitment:
            raise SealUnreadableError(f"{where}: the seal holds something else than the row committed to")
        return Opened(value, blind.hex())


def _unwrapped(private: PrivateKey, box: str, epoch: str, key_id: str) -> bytes:
    try:
        key = sodium.unwrap(private.raw, _raw(box))
    except sodium.RefusedError:
        raise SealUnreadableError(f"key {key_id} of epoch {epoch} does not unwrap") from None
    if len(key) != sodium.KEY_BYTES:
        raise SealUnreadableError(f"key {key_id} of epoch {epoch} has {len(key)} bytes instead of {sodium.KEY_BYTES}")
    return key


def _raw(box: str) -> bytes:
    try:
        return b64decode(box)
    except Base64Error:
        return b""  # opens under no key

"""The field half's side of secrecy: seals each secret byte under a key that lives in memory only."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Final

from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.verification.commitment import BLIND_BYTES, commitment_at, place
from pitwarden_client.verification.signed_rows import Scope

from pitwarden.seal import sodium
from pitwarden.seal.announce import key_announced
from pitwarden.seal.keys import PublicKey, SigningKey

PLAIN_BYTES: Final = 1 + BLIND_BYTES  # every seal has this length, whatever it holds


class Sealer:
    """One sealing key of one epoch of one table. A renewal is a new Sealer; the old key goes with the old object.

    `key_id` must be new in its epoch. Rows may be sealed once `announcement` stands in the log.
    """

    __slots__ = ("_key", "announcement", "key_id")

    def __init__(self, signer: SigningKey, scope: Scope, key_id: str, judges: Sequence[PublicKey]) -> None:
        self._key = sodium.random_bytes(sodium.KEY_BYTES)
        self.key_id = key_id
        self.announcement = key_announced(signer, scope, key_id, self._key, judges)

    def seal(self, source: str, event_id: str, index: int, value: int) -> Sealed:
        """The byte `value` (0 to 255), bound to its place, at constant length, with its commitment."""
        where = place(source, event_id, index)
        blind = sodium.random_bytes(BLIND_BYTES)
        box = sodium.aead_seal(self._key, bytes((value,)) + blind, where)
        return Sealed(key=self.key_id, box=b64encode(box).decode(), commitment=commitment_at(where, value, blind))

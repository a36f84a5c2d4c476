"""Signed rows of the field half: epoch openings, key announcements, checkpoints.

The facts that each signature covers, and the checks, belong to the client: `pitwarden_client.verification.signed_rows`.
"""

from base64 import b64encode
from collections.abc import Sequence

from pitwarden.seal import sodium
from pitwarden.seal.keys import PublicKey, SigningKey
from pitwarden_client.events.card_faces import WrappedKey
from pitwarden_client.events.device import DeviceOrder
from pitwarden_client.events.table import EpochOpened, Head, KeyAnnounced, PastState
from pitwarden_client.verification.signed_rows import (
    CheckpointMark,
    SigningScope,
    checkpoint_facts,
    epoch_facts,
    key_facts,
    order_facts,
    record_facts,
)


def sign_epoch_opened(
    signer: SigningKey, scope: SigningScope, parent: Head | None, past: PastState | None = None
) -> EpochOpened:
    """Return the first row of the epoch, signed by the field half, with what it found on its disk.

    `past` is not among the signed facts, so that older consumers can check them; the epoch's signed heads cover it.
    """
    signature = _signature(signer, epoch_facts(scope, parent, signer.public))
    return EpochOpened(parent=parent, signer=signer.public, signature=signature, past=past)


def sign_key_announced(
    signer: SigningKey, scope: SigningScope, key_id: str, key: bytes, judges: Sequence[PublicKey]
) -> KeyAnnounced:
    """Return the row that discloses `key` to each of the judges, and to no other reader."""
    wrapped = tuple(
        WrappedKey(recipient=judge.text, box=b64encode(sodium.wrap(judge.raw, key)).decode()) for judge in judges
    )
    signature = _signature(signer, key_facts(scope, key_id, wrapped, signer.public))
    return KeyAnnounced(key=key_id, wrapped=wrapped, signer=signer.public, signature=signature)


def sign_checkpoint(signer: SigningKey, scope: SigningScope, head: Head, mark: CheckpointMark) -> str:
    """Return the signature of a checkpoint: `head` is a row of this log and epoch, with the statement `mark`."""
    return _signature(signer, checkpoint_facts(scope, head, mark, signer.public))


def sign_record(signer: SigningKey, scope: SigningScope, head: Head, outputs: tuple[int, str]) -> str:
    """Return the signature of a judge's record: it ends with row `head` and this number and hash of an output."""
    return _signature(signer, record_facts(scope, head, outputs, signer.public))


def sign_order(signer: SigningKey, site: str, table: str, device: str, order: DeviceOrder) -> DeviceOrder:
    """Return the command `order` for `device`, signed by the judge."""
    facts = order_facts(SigningScope(site, table, order.as_of.epoch), device, order, signer.public)
    return order.model_copy(update={"signer": signer.public, "signature": _signature(signer, facts)})


def _signature(signer: SigningKey, facts: bytes) -> str:
    return b64encode(sodium.sign(signer.raw, facts)).decode()

"""Signed rows, checked: epoch openings, key announcements, checkpoints. Threat: rows that are forged or replayed.

Each signature covers a purpose, then the length-prefixed facts, so that no signature of one kind passes for another.
The field half signs the same facts, with `pitwarden.seal.signed_rows`.
"""

from base64 import b64decode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pitwarden_client.events.card_faces import WrappedKey
from pitwarden_client.events.device import DeviceOrder
from pitwarden_client.events.table import EpochOpened, Head, KeyAnnounced
from pitwarden_client.verification.commitment import length_prefixed
from pitwarden_client.verification.ed25519 import is_valid_signature
from pitwarden_client.verification.errors import SealUnreadableError

_EPOCH: Final = "pitwarden epoch.opened 1"
_KEY: Final = "pitwarden key.announced 1"
_CHECKPOINT: Final = "pitwarden checkpoint 1"
_RECORD: Final = "pitwarden record 1"
_ORDER: Final = "pitwarden command 1"

CheckpointMark = Literal["head", "closed", "trimmed"]
"""Statement of a checkpoint about a row: the log reached it, was closed after it, or was trimmed up to it."""


@dataclass(frozen=True, slots=True)
class SigningScope:
    """Scope of a signature: one epoch of one table of one site."""

    site: str
    table: str
    epoch: str


def verify_epoch_opened(opened: EpochOpened, scope: SigningScope, trusted: Collection[str]) -> None:
    """Check that a trusted field key signed the opening of this epoch of this table.

    Args:
        opened: The opening, as received.
        scope: Where it was received.
        trusted: Verify keys, each 64 hexadecimal digits.

    Raises:
        SealUnreadableError: The signer is not trusted, or the signature does not verify.
    """
    facts = epoch_facts(scope, opened.parent, opened.signer)
    _check(facts, opened.signer, opened.signature, trusted, f"the opening of epoch {scope.epoch}")


def verify_key_announced(announced: KeyAnnounced, scope: SigningScope, trusted: Collection[str]) -> None:
    """Check that a trusted field key announced this sealing key in this epoch of this table.

    Raises:
        SealUnreadableError: The signer is not trusted, or the signature does not verify.
    """
    facts = key_facts(scope, announced.key, announced.wrapped, announced.signer)
    _check(facts, announced.signer, announced.signature, trusted, f"key {announced.key} of epoch {scope.epoch}")


def verify_checkpoint(
    signed: tuple[str, str], scope: SigningScope, head: Head, mark: CheckpointMark, trusted: Collection[str]
) -> None:
    """Check that a trusted key signed exactly this checkpoint.

    Args:
        signed: Signer (hexadecimal) and signature (base64).
        scope: The epoch whose key signed.
        head: The row that the checkpoint is about.
        mark: What the checkpoint states of that row.
        trusted: Verify keys, each 64 hexadecimal digits.

    Raises:
        SealUnreadableError: The signer is not trusted, or the signature does not verify.
    """
    signer, signature = signed
    where = f"the checkpoint at row {head.at.epoch}/{head.at.number}"
    _check(checkpoint_facts(scope, head, mark, signer), signer, signature, trusted, where)


def verify_record(
    signed: tuple[str, str], scope: SigningScope, head: Head, outputs: tuple[int, str], trusted: Collection[str]
) -> None:
    """Check that a trusted judge signed the end of its record: the last row that it judged and its last output.

    Args:
        signed: Signer (hexadecimal) and signature (base64).
        scope: The epoch of `head`.
        head: The last row that the judge stored.
        outputs: Number and hash of the last output; 0 and GENESIS for none.
        trusted: Verify keys of the judge, each 64 hexadecimal digits.

    Raises:
        SealUnreadableError: The signer is not trusted, or the signature does not verify.
    """
    signer, signature = signed
    where = f"the judge's record at row {head.at.epoch}/{head.at.number}"
    _check(record_facts(scope, head, outputs, signer), signer, signature, trusted, where)


def verify_order(order: DeviceOrder, device: str, site: str, table: str, trusted: Collection[str]) -> None:
    """Check that a trusted judge signed exactly this command for this device of this table.

    Raises:
        SealUnreadableError: It bears no signature, the signer is not trusted, or the signature does not verify.
    """
    if order.signer is None or order.signature is None:
        raise SealUnreadableError("the command bears no signature")
    facts = order_facts(SigningScope(site, table, order.as_of.epoch), device, order, order.signer)
    _check(facts, order.signer, order.signature, trusted, "the command")


def epoch_facts(scope: SigningScope, parent: Head | None, signer: str) -> bytes:
    """Return the bytes that the signature of an epoch's opening covers; `signer` is the verify key in hexadecimal."""
    before = () if parent is None else (parent.at.epoch, str(parent.at.number), parent.hash)
    return _facts(_EPOCH, scope, signer, *before)


def key_facts(scope: SigningScope, key_id: str, wrapped: Sequence[WrappedKey], signer: str) -> bytes:
    """Return the bytes that the signature of a key's announcement covers, the recipients in their order."""
    return _facts(_KEY, scope, key_id, signer, *(fact for each in wrapped for fact in (each.recipient, each.box)))


def checkpoint_facts(scope: SigningScope, head: Head, mark: CheckpointMark, signer: str) -> bytes:
    """Return the bytes that the signature of a checkpoint covers."""
    return _facts(_CHECKPOINT, scope, signer, head.at.epoch, str(head.at.number), head.hash, mark)


def record_facts(scope: SigningScope, head: Head, outputs: tuple[int, str], signer: str) -> bytes:
    """Return the bytes that the signature of a judge's record covers; `outputs` is the last one's number and hash."""
    number, held = outputs
    return _facts(_RECORD, scope, signer, head.at.epoch, str(head.at.number), head.hash, str(number), held)


def order_facts(scope: SigningScope, device: str, order: DeviceOrder, signer: str) -> bytes:
    """Return the bytes that the signature of a command covers."""
    said = (device, order.id, order.command, str(order.as_of.number), str(order.until_ms))
    return _facts(_ORDER, scope, signer, *said)


def _facts(purpose: str, scope: SigningScope, *facts: str) -> bytes:
    return length_prefixed(*(fact.encode() for fact in (purpose, scope.site, scope.table, scope.epoch, *facts)))


def _check(facts: bytes, signer: str, signature: str, trusted: Collection[str], what: str) -> None:
    if signer not in trusted:
        raise SealUnreadableError(f"{what} is signed by {signer[:8]}..., which is no trusted key")
    if not is_valid_signature(bytes.fromhex(signer), facts, b64decode(signature)):
        raise SealUnreadableError(f"{what} bears a signature that does not verify")

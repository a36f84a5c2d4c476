"""Signed rows: the opening of an epoch, and a sealing key wrapped for the judges. The adversary forges or replays them.

Each signature covers a purpose, then the framed facts, so that none can pass for the other.
"""

from base64 import b64decode, b64encode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pitwarden.events.sealed import WrappedKey
from pitwarden.events.table import EpochOpened, Head, KeyAnnounced
from pitwarden.seal import sodium
from pitwarden.seal.commitment import framed
from pitwarden.seal.faults import SealUnreadableError
from pitwarden.seal.keys import PublicKey, SigningKey

_EPOCH: Final = "pitwarden epoch.opened 1"
_KEY: Final = "pitwarden key.announced 1"
_CHECKPOINT: Final = "pitwarden checkpoint 1"

Mark = Literal["head", "closed", "trimmed"]
"""What a checkpoint says of a row: the log reached it; the log was closed behind it; all up to it was trimmed."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a signed row belongs: one epoch of one table of one site."""

    site: str
    table: str
    epoch: str


def epoch_opened(signer: SigningKey, scope: Scope, parent: Head | None) -> EpochOpened:
    """The first row of the epoch, signed by the field half."""
    signature = signer.sign(_epoch_facts(scope, parent, signer.public))
    return EpochOpened(parent=parent, signer=signer.public, signature=_text(signature))


def check_epoch(opened: EpochOpened, scope: Scope, trusted: Collection[str]) -> None:
    """SealUnreadableError unless a `trusted` field key (hexadecimal) signed `opened` for this table and epoch."""
    facts = _epoch_facts(scope, opened.parent, opened.signer)
    _check(facts, opened.signer, opened.signature, trusted, f"the opening of epoch {scope.epoch}")


def key_announced(
    signer: SigningKey, scope: Scope, key_id: str, key: bytes, judges: Sequence[PublicKey]
) -> KeyAnnounced:
    """The row that gives `key` to each of the judges and to nobody else."""
    wrapped = tuple(WrappedKey(recipient=judge.text, box=_text(sodium.wrap(judge.raw, key))) for judge in judges)
    signature = signer.sign(_key_facts(scope, key_id, wrapped, signer.public))
    return KeyAnnounced(key=key_id, wrapped=wrapped, signer=signer.public, signature=_text(signature))


def check_key(announced: KeyAnnounced, scope: Scope, trusted: Collection[str]) -> None:
    """SealUnreadableError unless a `trusted` field key (hexadecimal) signed `announced` for this table and epoch."""
    facts = _key_facts(scope, announced.key, announced.wrapped, announced.signer)
    _check(facts, announced.signer, announced.signature, trusted, f"key {announced.key} of epoch {scope.epoch}")


def sign_checkpoint(signer: SigningKey, scope: Scope, head: Head, mark: Mark) -> str:
    """The signature that `head` is a row of this log and of this epoch, and what `mark` says of it."""
    return _text(signer.sign(_checkpoint_facts(scope, head, mark, signer.public)))


def check_checkpoint(signed: tuple[str, str], scope: Scope, head: Head, mark: Mark, trusted: Collection[str]) -> None:
    """SealUnreadableError unless `signed`, signer and signature, is a `trusted` key's for this very checkpoint."""
    signer, signature = signed
    where = f"the checkpoint at row {head.at.epoch}/{head.at.number}"
    _check(_checkpoint_facts(scope, head, mark, signer), signer, signature, trusted, where)


def _checkpoint_facts(scope: Scope, head: Head, mark: Mark, signer: str) -> bytes:
    return _facts(_CHECKPOINT, scope, signer, head.at.epoch, str(head.at.number), head.hash, mark)


def _epoch_facts(scope: Scope, parent: Head | None, signer: str) -> bytes:
    before = () if parent is None else (parent.at.epoch, str(parent.at.number), parent.hash)
    return _facts(_EPOCH, scope, signer, *before)


def _key_facts(scope: Scope, key_id: str, wrapped: Sequence[WrappedKey], signer: str) -> bytes:
    return _facts(_KEY, scope, key_id, signer, *(fact for each in wrapped for fact in (each.recipient, each.box)))


def _facts(purpose: str, scope: Scope, *facts: str) -> bytes:
    return framed(*(fact.encode() for fact in (purpose, scope.site, scope.table, scope.epoch, *facts)))


def _check(facts: bytes, signer: str, signature: str, trusted: Collection[str], what: str) -> None:
    if signer not in trusted:
        raise SealUnreadableError(f"{what} is signed by {signer[:8]}..., which is no configured field key")
    if not sodium.verified(bytes.fromhex(signer), facts, b64decode(signature)):
        raise SealUnreadableError(f"{what} bears a signature that does not verify")


def _text(raw: bytes) -> str:
    return b64encode(raw).decode()

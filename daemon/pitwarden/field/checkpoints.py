"""Signed checkpoints: what the log held once cannot be taken back, by whoever gets at the disk or at the broker."""

from pitwarden_client.events.status import LogHead
from pitwarden_client.events.table import Head
from pitwarden_client.verification.signed_rows import Mark, Scope

from pitwarden.field.rows import Place
from pitwarden.journal.records import Checkpoint
from pitwarden.seal.keys import SigningKey
from pitwarden.seal.signed_rows import sign_checkpoint


class Checkpoints:
    """Signs for one table's log."""

    def __init__(self, signer: SigningKey, place: Place) -> None:
        self._signer, self._place = signer, place

    def sign(self, place: int, head: Head, mark: Mark) -> Checkpoint:
        """The signed statement that the row at `place` is `head`, and what `mark` says of it."""
        scope = Scope(self._place.site, self._place.table, head.at.epoch)
        return Checkpoint(place, head, mark, self._signer.public, sign_checkpoint(self._signer, scope, head, mark))


def published(checkpoint: Checkpoint, trimmed: Checkpoint | None) -> LogHead:
    """The checkpoint as it stands retained on the bus, with the one behind which the log begins."""
    head = checkpoint.head
    return LogHead(
        at=head.at,
        hash=head.hash,
        signer=checkpoint.signer,
        signature=checkpoint.signature,
        trimmed=None if trimmed is None else trimmed.head,
        trimmed_signature=None if trimmed is None else trimmed.signature,
    )

"""Retained head of a judge's record, signed, for witnesses on other machines.

The judge signs each commit in its own file. Who can write that file and holds the judge's key, or puts back an older
file, is contradicted only by a signature that was kept elsewhere. So the newest one is published, at most once a
second.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import structlog

from pitwarden.bus.messages import Publisher
from pitwarden.journal.records import OutputHead, StoredOutput
from pitwarden.journal.signatures import RecordSigner
from pitwarden.system.clock import Clock
from pitwarden_client.events.codec import encode
from pitwarden_client.events.envelope import GENESIS
from pitwarden_client.events.status import RecordHead
from pitwarden_client.events.table import Head
from pitwarden_client.mqtt.errors import PublishRefusedError

# Interval of published heads in ms, as in the field half. A row follows each pause within 10 s, and with it a head.
HEAD_MS: Final = 1_000

if TYPE_CHECKING:
    import asyncio

_log = structlog.get_logger()


class RecordHeadPublisher:
    """Publisher of the newest end of one table's record."""

    def __init__(self, signer: RecordSigner, link: Publisher, topic: str, clock: Clock) -> None:
        self._signer, self._link, self._topic, self._clock = signer, link, topic, clock
        self._head: Head | None = None
        self._outputs: OutputHead | None = None
        self._due_ms = 0
        self._refused = False

    def begin(self, head: Head | None, outputs: OutputHead | None) -> None:
        """Set the end at which a start found the record."""
        self._head, self._outputs = head, outputs

    def committed(self, head: Head, outputs: Sequence[StoredOutput]) -> None:
        """Note the end after a commit, and publish it unless the last one is less than a second old."""
        self._head = head
        if outputs:
            self._outputs = OutputHead(outputs[-1].seq, outputs[-1].hash)
        if self._clock.mono_ms() >= self._due_ms:
            self.publish()

    def publish(self) -> None:
        """Publish the end as it is now. A link that is down loses it: the next link publishes it again."""
        if self._head is None:
            return
        self._due_ms = self._clock.mono_ms() + HEAD_MS
        signed = self._signer.sign(self._head, self._outputs)
        last = signed.outputs or OutputHead(0, GENESIS)
        said = RecordHead(
            at=signed.head.at, hash=signed.head.hash, output=last.seq, outputhash=last.hash, signer=signed.signer,
            signature=signed.signature,
        )  # fmt: skip
        self._link.publish(self._topic, encode(said), retain=True).add_done_callback(self._answered)

    def _answered(self, done: "asyncio.Future[None]") -> None:
        # An access list of an earlier version has no such topic. Dealing continues: a witness is missing, no row is.
        error = None if done.cancelled() else done.exception()
        if isinstance(error, PublishRefusedError) and not self._refused:
            _log.warning("publish refused", topic=self._topic, reason=str(error))
        self._refused = isinstance(error, PublishRefusedError)

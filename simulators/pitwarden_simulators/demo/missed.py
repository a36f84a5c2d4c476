"""Messages that the demo missed while the broker was away: requested again, and put in front of the later ones."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal

from pitwarden.bus.messages import InboundMessage
from pitwarden_client.events.codec import BadPayloadError, decode, encode
from pitwarden_client.events.status import ReplayReply, ReplayRequest
from pitwarden_simulators.demo.watch import Watch

Chain = Literal["log", "outputs"]

# Rows or outputs of one replay: the most that a request may name.
_LIMIT: Final = 1_000


class MissedMessages:
    """Replays of one consumer. `publish` sends a request; `request` is called again until all is there.

    The log comes first, since an output is assigned to the round of its row.
    """

    def __init__(self, watch: Watch, consumer: str, publish: Callable[[str, bytes], object]) -> None:
        self._watch, self._consumer, self._publish = watch, consumer, publish
        self.refusal = ""
        """Why the service refuses a replay; empty while it does not."""
        self._missing: list[Chain] = []
        self._held: dict[Chain, list[InboundMessage]] = {"log": [], "outputs": []}
        self._asked = 0

    @property
    def missing(self) -> bool:
        """True while something that was missed has not arrived."""
        return bool(self._missing)

    def begin(self) -> None:
        """Handle the loss of the connection: hold rows and outputs until what was before them is here."""
        self._missing = ["log", "outputs"]

    def request(self) -> None:
        """Request what follows the last row, or the last output, that arrived."""
        watch, of = self._watch, self._missing[0]
        self._asked += 1
        number, digest = watch.output
        wanted = ReplayRequest(
            id=self._ident(), of=of, limit=_LIMIT,
            after=watch.row if of == "log" else None, hash=watch.row_hash if of == "log" else digest,
            output=0 if of == "log" else number,
        )  # fmt: skip
        self._publish(watch.topics.replay_request(self._consumer), encode(wanted))

    def message(self, message: InboundMessage) -> None:
        """Pass a message on to the watch, now or behind those that were missed."""
        topics, of = self._watch.topics, self._chain(message.topic)
        if message.topic == topics.replay(self._consumer, "log"):
            self._watch.message(replace(message, topic=f"{topics.root}/events/missed"))
        elif message.topic == topics.replay(self._consumer, "outputs"):
            self._watch.message(replace(message, topic=topics.irregularities))
        elif message.topic == topics.replay_reply(self._consumer):
            message.ack()
            self._ended(message.payload)
        elif of in self._missing:
            self._held[of].append(message)
        else:
            self._watch.message(message)

    def _chain(self, topic: str) -> Chain | None:
        topics = self._watch.topics
        if topic in {topics.irregularities, topics.reveals}:
            return "outputs"
        return "log" if topic.startswith(f"{topics.root}/events/") else None

    def _ident(self) -> str:
        return f"missed-{self._asked}"

    def _ended(self, payload: bytes) -> None:
        """Handle the end of a replay."""
        try:
            reply = decode(ReplayReply, payload)
        except BadPayloadError:
            return
        if not self._missing or reply.id != self._ident() or reply.refused == "busy":
            return
        if reply.refused:
            self.refusal = f"the service does not replay what was missed: {reply.refused} {reply.reason}"
            self._missing.clear()
        elif not reply.more:
            of = self._missing.pop(0)
            held, self._held[of] = self._held[of], []
            for message in held:
                self._watch.message(message)
        if self._missing:
            self.request()

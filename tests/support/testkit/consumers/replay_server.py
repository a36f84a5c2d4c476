"""Captured night as a table serves it: rows and outputs to publish, and replays answered as the halves do."""

from dataclasses import dataclass, field
from functools import cache

from pitwarden_client.events.codec import digest
from pitwarden_client.events.status import ReplayReply, ReplayRequest
from testkit.consumers.published_night import PublishedMessage, published_night

_digest = cache(digest)


@dataclass
class MemoryReplayServer:
    """Both chains of a night as far as they are published. `kept_from`: first row and output that are not trimmed."""

    rows: list[bytes] = field(default_factory=list)
    outputs: list[bytes] = field(default_factory=list)
    kept_from: tuple[int, int] = (0, 0)

    def answer(self, wanted: ReplayRequest) -> tuple[list[bytes], ReplayReply]:
        """Return the messages that answer a request, and its reply."""
        chain, first = (self.rows, self.kept_from[0]) if wanted.of == "log" else (self.outputs, self.kept_from[1])
        after = self._place(wanted)
        if after is None:
            return [], ReplayReply(id=wanted.id, of=wanted.of, refused="not_ours")
        if 0 < after < first:
            return [], ReplayReply(id=wanted.id, of=wanted.of, refused="trimmed")
        found = chain[max(after, first) :][: wanted.limit]
        more = max(after, first) + len(found) < len(chain)
        return found, ReplayReply(id=wanted.id, of=wanted.of, sent=len(found), more=more)

    def _place(self, wanted: ReplayRequest) -> int | None:
        if wanted.of == "log":
            if wanted.after is None:
                return 0
            at = [n for n, row in enumerate(self.rows, 1) if _digest(row) == wanted.hash]
            return at[0] if at else None
        if wanted.output == 0:
            return 0
        known = wanted.output <= len(self.outputs) and digest(self.outputs[wanted.output - 1]) == wanted.hash
        return wanted.output if known else None


def chains(said: tuple[PublishedMessage, ...]) -> list[tuple[str, bytes]]:
    """Return rows (`log`) and outputs of a night in the order in which they were first published."""
    seen: set[bytes] = set()
    made = []
    for each in said:
        if each.channel.name in {"events", "irregularities", "reveals"} and each.payload not in seen:
            seen.add(each.payload)
            made.append(("log" if each.channel.name == "events" else "outputs", each.payload))
    return made


def evening() -> list[tuple[str, bytes]]:
    """Return rows and outputs of a 3 Card Blitz night with a fault in it."""
    return chains(published_night("cb-auto", "1", 4, "shoe_jam"))

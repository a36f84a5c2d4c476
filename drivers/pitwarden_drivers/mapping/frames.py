"""Frames of a mapped device: start, body, stop, check; and the control bytes that stand outside them.

The line is hostile: noise, torn frames, a stop that is none, bytes in any cut. What is no frame is dropped and
counted; it is never shown, since it may contain a card.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pitwarden_drivers.mapping.checksums import checksum, checksum_bytes
from pitwarden_drivers.mapping.lines import PRINTABLE
from pitwarden_drivers.mapping.link_rules import FrameCheckRule, FramingRule


@dataclass(frozen=True, slots=True)
class FrameBody:
    """Body of a frame whose check agreed. It is in no repr: it may contain a card."""

    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class FrameRejected:
    """A frame that was damaged: a wrong check, too long, or a body of bytes that no text contains.

    `computed` is the check that the frame should have had and `received` the one that it had; None unless the check
    was wrong. Neither is in a repr: the check of a card's frame tells the card.
    """

    computed: bytes | None = field(default=None, repr=False)
    received: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ControlToken:
    """Control bytes outside frames: `good`, `bad`, `enquiry` or `nothing`."""

    name: str


FrameItem = FrameBody | FrameRejected | ControlToken


class FrameCodec:
    """Encoder and incremental decoder of one dialogue's frames."""

    def __init__(self, rule: FramingRule, longest: int, tokens: Mapping[bytes, str]) -> None:
        """Hold at most one frame of `longest` bytes; `tokens` are the control bytes with their names."""
        self.rejected = 0
        self.dropped = 0
        self._start, self._stop = bytes.fromhex(rule.start), bytes.fromhex(rule.stop)
        self._escape = None if rule.escape is None else bytes.fromhex(rule.escape)[0]
        self._check, self._as_text = rule.check, rule.body == "text"
        self._check_size = 0 if rule.check is None else _written_size(rule.check)
        self._after = self._check_size if rule.check is not None and rule.check.placed == "after stop" else 0
        self._longest = longest
        self._tokens = dict(tokens)
        self._marks = (self._start, *self._tokens)
        self._longest_mark = max(map(len, self._marks))
        self._mark_begins = re.compile(b"[" + re.escape(bytes({mark[0] for mark in self._marks})) + b"]")
        # A start that no text contains marks a torn frame before it. A printable start may be part of a body.
        self._start_is_unique = self._escape is not None or self._start[0] not in PRINTABLE
        self._held = bytearray()

    @property
    def holding(self) -> bool:
        """True while an unfinished frame is held."""
        return bool(self._held)

    def encode(self, text: str) -> bytes:
        """Return the frame around `text`: characters, or hexadecimal digits for a body of bytes."""
        body = text.encode("ascii") if self._as_text else bytes.fromhex(text)
        check = b"" if self._check is None else self._written(self._check, body)
        inner = body if self._after else body + check
        if self._escape is not None:
            escape = bytes((self._escape,))
            inner = inner.replace(escape, escape * 2)
        return self._start + inner + self._stop + (check if self._after else b"")

    def feed(self, data: bytes) -> Iterator[FrameItem]:
        """Yield what `data` completes, in any cut."""
        self._held += data
        while (found := self._next()) is not None:
            yield found

    def discard(self) -> None:
        """Drop an unfinished frame whose rest never came."""
        if self._held:
            self._reject(len(self._held))

    def _next(self) -> FrameItem | None:
        at = 0
        while (mark := self._mark_begins.search(self._held, at)) is not None:
            at = mark.start()
            name = self._token_at(at)
            if name is not None:
                self._skip(at)
                return ControlToken(name)
            if self._held.startswith(self._start, at):
                self._skip(at)
                return self._frame()
            # Only the last bytes can begin what is not complete: a copy of the rest at each byte would take minutes for
            # a megabyte of noise, and the whole process would wait.
            rest = len(self._held) - at
            if rest < self._longest_mark and any(known.startswith(self._held[at:]) for known in self._marks):
                self._skip(at)  # the rest of a start or of control bytes may still come
                return None
            at += 1
        self._skip(len(self._held))
        return None

    def _token_at(self, at: int) -> str | None:
        """Remove the control bytes at `at` and return their name; None when there are none."""
        for token, name in self._tokens.items():
            if self._held.startswith(token, at):
                del self._held[at : at + len(token)]
                return name
        return None

    def _frame(self) -> FrameItem | None:
        """Decode the frame at the front; None while its end has not come."""
        body = bytearray()
        at = len(self._start)
        while at < len(self._held):
            if len(body) > self._longest:
                return self._reject(at)
            if self._held[at] == self._escape:
                if at + 1 == len(self._held):
                    return None
                if self._held[at + 1] == self._escape:
                    body.append(self._held[at])
                    at += 2
                    continue
            if self._held.startswith(self._stop, at):
                return self._close(bytes(body), at + len(self._stop))
            if self._start_is_unique and self._held.startswith(self._start, at):
                return self._reject(at)  # a new frame begins, the one before was torn
            if self._held[at] == self._escape:
                return self._reject(at + 2)
            body.append(self._held[at])
            at += 1
        return None

    def _close(self, body: bytes, end: int) -> FrameItem | None:
        """Verify a frame whose stop ends at `end`; None while its check has not come."""
        if self._check is not None:
            if len(self._held) < end + self._after:
                return None
            written = bytes(self._held[end : end + self._after])
            end += self._after
            if not self._after:
                body, written = body[: -self._check_size], body[-self._check_size :]
            if self._check.written == "hex":
                written = written.upper()
            computed = self._written(self._check, body)
            if written != computed:
                return self._reject(end, computed, written)
        if self._as_text and not PRINTABLE.issuperset(body):
            return self._reject(end)
        del self._held[:end]
        return FrameBody(body.decode("ascii") if self._as_text else body.hex().upper())

    def _written(self, rule: FrameCheckRule, body: bytes) -> bytes:
        # With an escape byte, protocols with DLE count only the byte after it.
        start, stop = (self._start, self._stop) if self._escape is None else (self._start[-1:], self._stop[-1:])
        parts = {"start": start, "body": body, "stop": stop}
        covered = b"".join(parts[name] for name in rule.covers.split())
        value = checksum(rule.kind, covered).to_bytes(checksum_bytes(rule.kind), rule.order)
        return value if rule.written == "byte" else value.hex().upper().encode("ascii")

    def _reject(self, end: int, computed: bytes | None = None, received: bytes | None = None) -> FrameRejected:
        self.rejected += 1
        self._skip(end)
        return FrameRejected(computed, received)

    def _skip(self, count: int) -> None:
        self.dropped += count
        del self._held[:count]


def _written_size(rule: FrameCheckRule) -> int:
    size = checksum_bytes(rule.kind)
    return size if rule.written == "byte" else 2 * size

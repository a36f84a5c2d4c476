"""Device scripts: a device as a file of its bytes, for integrators who have a manual or a capture and write no code.

The bytes are literal, so that a mistake in a driver's checksums or escapes cannot hide in the device as well.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwarden_client.spelling import nearest_hint
from pitwarden_drivers.api import Family
from pitwarden_drivers.user_files import UserFileError, read_user_file

Bytes = Annotated[str, Field(max_length=4_096)]
Some = Annotated[str, Field(min_length=1, max_length=4_096)]
Millis = Annotated[int, Field(ge=10, le=60_000)]


class ScriptError(ValueError):
    """The file is not a device script. Policy: print it and end with 78. Example: `event` is missing."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AnswerScript(_Section):
    """Answer to a query. `message` is sent as an event is: when polled, and again until it is acknowledged."""

    to: Some
    send: Bytes = ""
    message: Bytes = ""


class BeatScript(_Section):
    """Sign of life that the device sends by itself."""

    send: Some
    every_ms: Millis = 1_000


class KeptScript(_Section):
    """Acknowledgement until which an event is kept; without [poll] it is sent again after `again_ms`."""

    until: Some
    again_ms: Millis = 1_000


class PollScript(_Section):
    """Poll that an event waits for, and the answer when there is none."""

    ask: Some
    nothing: Bytes = ""


class DeviceScript(_Section):
    """Content of a script. `event` are the messages in the order in which the device senses them, again and again."""

    serial: Some
    family: Family
    written: Literal["text", "hex"] = "text"
    hello: Bytes = ""
    event: tuple[Some, ...] = Field(min_length=1)
    answer: tuple[AnswerScript, ...] = ()
    beat: BeatScript | None = None
    kept: KeptScript | None = None
    poll: PollScript | None = None


def read_script(file: Path) -> DeviceScript:
    """Return the script in `file`.

    Raises:
        ScriptError: It is not one; the message has every problem with its key.
    """
    try:
        script = DeviceScript.model_validate(read_user_file(file))
        _all_bytes(script)
    except UserFileError as error:
        raise ScriptError(str(error)) from None
    except ValidationError as error:
        raise ScriptError(
            "\n".join(f"{file}: {_problem(one['loc'], one['msg'], one['type'])}" for one in error.errors())
        ) from None
    except ValueError as error:
        raise ScriptError(f"{file}: {error}") from None
    return script


def _problem(place: tuple[str | int, ...], words: str, kind: str) -> str:
    key = ".".join(map(str, place))
    if kind == "extra_forbidden":
        return f"{key}: is not a key of a device script{nearest_hint(str(place[-1]), DeviceScript.model_fields)}"
    if kind == "missing":
        return f"{key}: is missing"
    return f"{key}: {words[:1].lower()}{words[1:]}"


def _all_bytes(script: DeviceScript) -> None:
    """Convert every message once.

    Raises:
        ValueError: One is not written as `written` states.
    """
    texts = [script.hello, *script.event, *(text for one in script.answer for text in (one.to, one.send, one.message))]
    for text in texts:
        _bytes(script, text)


def _bytes(script: DeviceScript, text: str) -> bytes:
    try:
        return bytes.fromhex(text) if script.written == "hex" else text.encode("latin-1")
    except ValueError:
        kind = "pairs of hexadecimal digits" if script.written == "hex" else "characters of one byte"
        raise ValueError(f"{text[:40]!r}: is not written as {kind} (key `written`)") from None


@dataclass
class ScriptedDevice:
    """Device of one script."""

    script: DeviceScript
    whole_records: bool = False
    _sensed: int = 0
    _outbox: deque[bytes] = field(default_factory=deque)
    _heard: bytes = b""
    _unsent: bytearray = field(default_factory=bytearray)
    _sent_at: int | None = None
    _beat_at: int = 0
    _replies: dict[bytes, Callable[[], None]] = field(init=False)

    def __post_init__(self) -> None:
        script = self.script
        self.family: Family = script.family
        self.serial = script.serial
        self.keeps = script.kept is not None
        self._replies = {self._of(one.to): lambda one=one: self._answer(one) for one in script.answer}  # type: ignore[misc]
        if script.poll is not None:
            self._replies[self._of(script.poll.ask)] = self._polled
        if script.kept is not None:
            self._replies[self._of(script.kept.until)] = self._acknowledged
        self._unsent += self._of(script.hello)

    @property
    def kept(self) -> int:
        """Number of messages that it keeps."""
        return len(self._outbox)

    def happen(self) -> None:
        """Sense the next event."""
        self._outbox.append(self._of(self.script.event[self._sensed % len(self.script.event)]))
        self._sensed += 1

    def restart(self) -> None:
        """Forget everything; the events begin again with the first."""
        self._sensed, self._heard, self._sent_at = 0, b"", None
        self._outbox.clear()
        self._unsent[:] = self._of(self.script.hello)

    def opened(self) -> bytes:
        """Return nothing: a serial line delivers nothing by itself."""
        return b""

    def receive(self, now: int, data: bytes) -> bytes:
        """Answer every known query in the bytes; what is none is skipped."""
        self._heard += data
        while self._heard:
            found = max((query for query in self._replies if self._heard.startswith(query)), key=len, default=None)
            if found is not None:
                self._heard = self._heard[len(found) :]
                self._replies[found]()
            elif any(query.startswith(self._heard) for query in self._replies):
                break
            else:
                self._heard = self._heard[1:]
        return self.tick(now)

    def tick(self, now: int) -> bytes:
        """Return what is due: answers, the sign of life, an event, or an event again."""
        beat = self.script.beat
        if beat is not None and now >= self._beat_at:
            self._beat_at = now + beat.every_ms
            self._unsent += self._of(beat.send)
        if self._outbox and self.script.poll is None:
            self._offer(now)
        said = bytes(self._unsent)
        self._unsent.clear()
        return said

    def wake_at(self, now: int) -> int | None:
        """Return when `tick` has bytes to send."""
        if self._unsent or (self._outbox and self.script.poll is None):
            return (
                now if self._sent_at is None or self.script.kept is None else self._sent_at + self.script.kept.again_ms
            )
        return self._beat_at if self.script.beat is not None else None

    def _offer(self, now: int) -> None:
        if self.script.kept is None:
            self._unsent += b"".join(self._outbox)
            self._outbox.clear()
        elif self._sent_at is None or now - self._sent_at >= self.script.kept.again_ms:
            self._sent_at = now
            self._unsent += self._outbox[0]

    def _answer(self, answer: AnswerScript) -> None:
        self._unsent += self._of(answer.send)
        message = self._of(answer.message)
        if message and message not in self._outbox:
            self._outbox.appendleft(message)
            self._sent_at = None

    def _polled(self) -> None:
        poll = self.script.poll
        if self._outbox:
            self._unsent += self._outbox[0]
            self._sent_at = _POLLED
            if not self.keeps:
                self._outbox.popleft()
        elif poll is not None:
            self._sent_at = None
            self._unsent += self._of(poll.nothing)

    def _acknowledged(self) -> None:
        if self._sent_at is not None and self._outbox:
            self._outbox.popleft()
        self._sent_at = None

    def _of(self, text: str) -> bytes:
        return _bytes(self.script, text)


# Time of a message that was sent to a poll: it is sent again to the next poll, whenever that comes.
_POLLED: Final = 0

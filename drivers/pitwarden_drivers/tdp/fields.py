"""Field codecs of TDP frames (SPEC.md section 3), each with reader and writer."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from struct import Struct
from typing import Final, Generic, TypeVar

from pitwarden_client.events.card_faces import FACES
from pitwarden_drivers.api import Secret

T = TypeVar("T")
NONE_U16: Final = 0xFFFF
# Characters of a text in a frame: serial, firmware or back.
MAX_TEXT: Final = 64


class MalformedBodyError(ValueError):
    """The body does not have the form of its type. Policy: count and drop the frame, read the next one."""


@dataclass(slots=True)
class BodyReader:
    """Cursor in a frame's body. Every method raises MalformedBodyError past the end."""

    body: bytes = field(repr=False)
    at: int = 0

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        self.at += count
        if self.at > len(self.body):
            raise MalformedBodyError("the body is too short")
        return self.body[self.at - count : self.at]

    def byte(self) -> int:
        """Return the next byte as a number."""
        at = self.at
        if at >= len(self.body):
            raise MalformedBodyError("the body is too short")
        self.at = at + 1
        return self.body[at]

    def numbers(self, form: Struct) -> tuple[int, ...]:
        """Return the next unsigned numbers, of the sizes in `form`."""
        return form.unpack(self.take(form.size))

    def number(self, size: int) -> int:
        """Return the next `size` bytes as an unsigned big-endian number."""
        return int.from_bytes(self.take(size), "big")

    def rest(self) -> bytes:
        """Return all remaining bytes."""
        return self.take(len(self.body) - self.at)

    def text(self) -> str:
        """Return a text field: a length byte and as many printable ASCII characters, at most 64."""
        words = self.take(self.byte()).decode("latin-1")  # latin-1 accepts any byte
        if len(words) > MAX_TEXT or not (words.isascii() and words.isprintable()):
            raise MalformedBodyError("a text is too long or not printable ASCII")
        return words

    def done(self) -> None:
        """Check that every byte was read.

        Raises:
            MalformedBodyError: Bytes are left.
        """
        if self.at != len(self.body):
            raise MalformedBodyError("the body is too long")


def text(value: str) -> bytes:
    """Return `value` as a text field.

    Raises:
        ValueError: It is too long or not printable ASCII.
    """
    if len(value) > MAX_TEXT or not value.isascii() or not value.isprintable():
        raise ValueError("a text field holds at most 64 printable ASCII characters")
    return bytes((len(value),)) + value.encode("ascii")


def u32(*numbers: int) -> bytes:
    """Return `numbers` as four bytes each, big-endian."""
    return b"".join(number.to_bytes(4, "big") for number in numbers)


@dataclass(frozen=True, slots=True)
class Codec(Generic[T]):
    """One field of an event's payload: reader and writer."""

    read: Callable[[BodyReader], T]
    write: Callable[[T], bytes]


def choice(*names: T) -> Codec[T]:
    """Return the codec of one byte that encodes one of `names`, counted from 0."""

    def read(cursor: BodyReader) -> T:
        code = cursor.byte()
        if code >= len(names):
            raise MalformedBodyError("a code is not in the list")
        return names[code]

    return Codec(read, lambda value: bytes((names.index(value),)))


def text_matching(pattern: str) -> Codec[str]:
    """Return the codec of a text field that matches `pattern`."""
    expression = re.compile(pattern)

    def read(cursor: BodyReader) -> str:
        value = cursor.text()
        if not expression.fullmatch(value):
            raise MalformedBodyError("a name has characters that names do not have")
        return value

    return Codec(read, text)


def _read_count(cursor: BodyReader) -> int | None:
    value = cursor.number(2)
    if value == NONE_U16:
        return None
    if value > MAX_COUNT:
        raise MalformedBodyError("a count is above 9,999")
    return value


def _read_known(cursor: BodyReader) -> int:
    value = _read_count(cursor)
    if value is None:
        raise MalformedBodyError("a count is missing")
    return value


def _read_face(cursor: BodyReader) -> Secret:
    value = cursor.byte()
    if value not in FACES:
        raise MalformedBodyError("a face code is not in the list")
    return Secret(value)


def _read_bit(cursor: BodyReader) -> Secret:
    value = cursor.byte()
    if value > 1:
        raise MalformedBodyError("the answer is neither 0 nor 1")
    return Secret(value)


def _write_secret(value: Secret) -> bytes:
    return bytes((value.value,))


def _write_count(value: int | None) -> bytes:
    return (NONE_U16 if value is None else value).to_bytes(2, "big")


# Largest number of cards in a frame, as the contract allows.
MAX_COUNT: Final = 9_999
COUNT: Final[Codec[int]] = Codec(_read_known, _write_count)
MAYBE_COUNT: Final[Codec[int | None]] = Codec(_read_count, _write_count)
FACE: Final = Codec(_read_face, _write_secret)
BIT: Final = Codec(_read_bit, _write_secret)
UP: Final[Codec[bool | None]] = choice(False, True, None)  # noqa: FBT003  the values themselves, in the order of SPEC.md
DECK: Final = text_matching(r"[A-Za-z0-9_-]{1,64}")
_BACK: Final = text_matching(r"[a-z]{0,16}")
BACK: Final[Codec[str | None]] = Codec(lambda cursor: _BACK.read(cursor) or None, lambda value: text(value or ""))

"""The fields that TDP frames are made of (SPEC.md section 3), each read and written next to each other."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from struct import Struct
from typing import Final, Generic, TypeVar

from pitwarden_client.events.card_faces import FACES
from pitwarden_drivers.api import Secret

T = TypeVar("T")
NONE_U16: Final = 0xFFFF
MAX_TEXT: Final = 64


class MalformedBodyError(ValueError):
    """A body that is not what its type says. Policy: the frame is counted and dropped, the next one is read."""


@dataclass(slots=True)
class BodyReader:
    """A place in a frame's body; taking past the end is Malformed."""

    body: bytes = field(repr=False)
    at: int = 0

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        self.at += count
        if self.at > len(self.body):
            raise MalformedBodyError("the body is too short")
        return self.body[self.at - count : self.at]

    def byte(self) -> int:
        """The next byte as a number."""
        at = self.at
        if at >= len(self.body):
            raise MalformedBodyError("the body is too short")
        self.at = at + 1
        return self.body[at]

    def numbers(self, form: Struct) -> tuple[int, ...]:
        """The next unsigned numbers, of the sizes in `form`."""
        return form.unpack(self.take(form.size))

    def number(self, size: int) -> int:
        """The next `size` bytes as an unsigned number, the highest byte first."""
        return int.from_bytes(self.take(size), "big")

    def rest(self) -> bytes:
        """All bytes that are left."""
        return self.take(len(self.body) - self.at)

    def text(self) -> str:
        """A length byte and as many printable ASCII characters, at most 64."""
        words = self.take(self.byte()).decode("latin-1")  # which takes any byte
        if len(words) > MAX_TEXT or not (words.isascii() and words.isprintable()):
            raise MalformedBodyError("a text is too long or not printable ASCII")
        return words

    def done(self) -> None:
        """Malformed unless every byte was taken."""
        if self.at != len(self.body):
            raise MalformedBodyError("the body is too long")


def text(value: str) -> bytes:
    """`value` as a text field; ValueError when it is none."""
    if len(value) > MAX_TEXT or not value.isascii() or not value.isprintable():
        raise ValueError("a text field holds at most 64 printable ASCII characters")
    return bytes((len(value),)) + value.encode("ascii")


def u32(*numbers: int) -> bytes:
    """`numbers` as four bytes each, the highest first."""
    return b"".join(number.to_bytes(4, "big") for number in numbers)


@dataclass(frozen=True, slots=True)
class Codec(Generic[T]):
    """One field of an event's payload: how it is read from a cursor and how it is written."""

    read: Callable[[BodyReader], T]
    write: Callable[[T], bytes]


def choice(*names: T) -> Codec[T]:
    """One byte that stands for one of `names`, counted from 0."""

    def read(cursor: BodyReader) -> T:
        code = cursor.byte()
        if code >= len(names):
            raise MalformedBodyError("a code is not in the list")
        return names[code]

    return Codec(read, lambda value: bytes((names.index(value),)))


def text_matching(pattern: str) -> Codec[str]:
    """A text field that fits `pattern`."""
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


MAX_COUNT: Final = 9_999
COUNT: Final[Codec[int]] = Codec(_read_known, _write_count)
MAYBE_COUNT: Final[Codec[int | None]] = Codec(_read_count, _write_count)
FACE: Final = Codec(_read_face, _write_secret)
BIT: Final = Codec(_read_bit, _write_secret)
UP: Final[Codec[bool | None]] = choice(False, True, None)  # noqa: FBT003  the values themselves, in the order of SPEC.md
DECK: Final = text_matching(r"[A-Za-z0-9_-]{1,64}")
_BACK: Final = text_matching(r"[a-z]{0,16}")
BACK: Final[Codec[str | None]] = Codec(lambda cursor: _BACK.read(cursor) or None, lambda value: text(value or ""))

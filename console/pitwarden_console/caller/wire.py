"""Wire format between the console and its caller: lines of JSON over a Unix socket, and the times both sides keep.

Every line of the console is a beat; one with a call asks for its answer. Threat: any process of the console's group can
connect and write bytes of any kind and length. They cost their own connection and nothing else.
"""

import asyncio
from typing import Final, TypeVar

from pitwarden_client.events.base import Record
from pitwarden_client.events.codec import BadPayloadError, decode, encode

# Seconds between two beats of the console. The caller returns each one, so that both sides notice a silence.
BEAT_S: Final = 5.0
SILENCE_S: Final = 3 * BEAT_S
"""Seconds without a line after which the other side counts as dead: three beats are missing."""
# Seconds for which a call waits for the service's answer. A step of a house is longer.
ANSWER_S: Final = 25.0
# Longest line, in bytes: a call with title and text at their limits, in characters of four bytes or escaped.
MAX_LINE: Final = 8_192
MAX_TITLE: Final = 300
"""Characters of a title; what is longer is cut, since no call at all would be worse."""
MAX_TEXT: Final = 800
"""Characters of a call's text, or of the reason in an answer; what is longer is cut."""

R = TypeVar("R", bound=Record)


class WireError(Exception):
    """The other side sent no line of this format. Policy: close the connection and open another.

    Example: a line of more than 8,192 bytes.
    """


class CallRequest(Record):
    """A call that the caller is asked to make. `id` is that of its answer."""

    id: int
    to: str
    title: str
    text: str


class CallAnswer(Record):
    """Answer to the call `id`. An empty `reason` means that the service took it."""

    id: int
    reason: str


class ConsoleLine(Record):
    """Line of the console: a beat, with a call or without."""

    call: CallRequest | None = None


class CallerLine(Record):
    """Line of the caller: a beat returned, or the answer to a call."""

    answer: CallAnswer | None = None


def call_line(ident: int, to: str, title: str, text: str) -> ConsoleLine:
    """Return the line of a call, within the limits."""
    return ConsoleLine(call=CallRequest(id=ident, to=to, title=title[:MAX_TITLE], text=text[:MAX_TEXT]))


def answer_line(ident: int, reason: str) -> CallerLine:
    """Return the line of an answer, within the limits."""
    return CallerLine(answer=CallAnswer(id=ident, reason=reason[:MAX_TEXT]))


async def read_line(reader: asyncio.StreamReader, model: type[R]) -> R | None:
    """Return the next line as a `model`; None at the end.

    Raises:
        WireError: It is longer than `MAX_LINE`, the limit of the reader, or no such line.
        OSError: The connection failed.
    """
    try:
        line = await reader.readline()
        return decode(model, line) if line else None
    except BadPayloadError as error:
        raise WireError(str(error)) from None
    except ValueError:
        raise WireError(f"a line has more than {MAX_LINE} bytes") from None


async def write_line(writer: asyncio.StreamWriter, line: Record) -> None:
    """Write a line.

    Raises:
        OSError: The connection failed.
    """
    writer.write(encode(line) + b"\n")
    await writer.drain()

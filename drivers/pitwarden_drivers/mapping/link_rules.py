"""Sections of a map file that describe the link: frames with a check, acknowledgements, polls.

Bytes are written as hexadecimal digits in pairs, with or without spaces between the pairs: `"10 02"`.
"""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwarden_drivers.mapping.checksums import ChecksumKind

Pattern = Annotated[str, Field(min_length=1, max_length=500)]
Ask = Annotated[str, Field(max_length=200, pattern=r"^[ -~]*$")]
Period = Annotated[int, Field(ge=100, le=60_000)]
HexBytes = Annotated[str, Field(pattern=r"^[0-9A-Fa-f]{2}( ?[0-9A-Fa-f]{2}){0,7}$")]

ESCAPE_BYTES: Final = 1


class MapSection(BaseModel):
    """Base of every section of a map file: unknown keys are rejected and values are not converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class FrameCheckRule(MapSection):
    """Check of a frame.

    `covers` names the parts that the check is computed over. In a frame with an escape byte, the start and the stop
    count with their last byte alone, as protocols with DLE define it.
    """

    kind: ChecksumKind
    covers: Literal["body", "body stop", "start body", "start body stop"] = "body stop"
    written: Literal["byte", "hex"] = "byte"
    order: Literal["big", "little"] = "big"
    placed: Literal["after stop", "before stop"] = "after stop"


class FramingRule(MapSection):
    """Frames in place of lines: start, body, stop, check.

    `escape`: byte that stands before the last byte of start and stop, and is doubled inside a body.
    """

    start: HexBytes
    stop: HexBytes
    body: Literal["text", "hex"] = "text"
    escape: HexBytes | None = None
    check: FrameCheckRule | None = None


class AckRule(MapSection):
    """Acknowledgement of each message, in both directions.

    A message that is an event is acknowledged once it is stored. `number` has the groups `number` (decimal) and `body`;
    `modulus` is the count of numbers that the device uses. A device without numbers needs `repeats_within_ms`, except a
    polled one.
    `reply_acknowledges`: the device answers a message with a message, without acknowledging it before.
    `acknowledge_replies`: also messages that are no events are acknowledged; false for a device that would take this
    for the acknowledgement of an event which it sent before.
    """

    good: HexBytes = "06"
    bad: HexBytes = "15"
    enquiry: HexBytes | None = None
    answer_ms: Period = 1_000
    retries: Annotated[int, Field(ge=0, le=10)] = 3
    number: Pattern | None = None
    modulus: Annotated[int, Field(ge=2, le=65_536)] | None = None
    reply_acknowledges: bool = False
    acknowledge_replies: bool = True
    repeats_within_ms: Annotated[int, Field(ge=0, le=60_000)] | None = None


class PollRule(MapSection):
    """A device that speaks only when it is polled.

    `nothing` is its answer when it has no message. `select` is sent before a message to the device, which answers with
    the bytes of `[ack]`. `address` stands at the head of each of its messages; those of other addresses are ignored.
    """

    ask: HexBytes
    every_ms: Annotated[int, Field(ge=20, le=60_000)] = 200
    nothing: HexBytes = "04"
    select: HexBytes | None = None
    address: Ask = ""


def link_problems(
    framing: FramingRule | None, ack: AckRule | None, poll: PollRule | None, *, line_checksum: bool
) -> list[str]:
    """Return what does not fit between the sections of the link, each with its place and the remedy."""
    said: list[str] = []
    if framing is None:
        said += [f"{name}: needs the section [framing]" for name, rule in (("ack", ack), ("poll", poll)) if rule]
        return said
    if line_checksum:
        said.append("checksum: is for lines; the check of a frame is [framing.check]")
    said += _framing_problems(framing)
    if poll is not None and ack is None:
        said.append("poll: needs the section [ack]: a polled device repeats a message until it is acknowledged")
    if ack is not None:
        said += _ack_problems(ack, polled=poll is not None)
    return said + _token_problems(framing, ack, poll)


def _framing_problems(framing: FramingRule) -> list[str]:
    said: list[str] = []
    if framing.body == "hex" and framing.escape is None:
        said.append("framing.body: a body of any bytes may contain the stop; set framing.escape, for example '10'")
    if framing.escape is None:
        return said
    escape = bytes.fromhex(framing.escape)
    if len(escape) != ESCAPE_BYTES:
        said.append(f"framing.escape: must be one byte, not {len(escape)}")
        return said
    for name, text in (("start", framing.start), ("stop", framing.stop)):
        if not bytes.fromhex(text).startswith(escape) or len(bytes.fromhex(text)) != ESCAPE_BYTES + 1:
            said.append(f"framing.{name}: must be the escape byte and one more, for example '{framing.escape} 02'")
    return said


def _ack_problems(ack: AckRule, *, polled: bool) -> list[str]:
    if ack.number is not None and ack.modulus is None:
        return ["ack.modulus: is missing: how many numbers the device uses, for example 10 for 0 to 9"]
    if ack.number is None and ack.modulus is not None:
        return ["ack.number: is missing: the pattern with the groups (?P<number>...) and (?P<body>...)"]
    if ack.number is None and ack.repeats_within_ms is None and not polled:
        return [
            (
                "ack.repeats_within_ms: is missing: how long after a lost acknowledgement the device sends its message "
                "again; for numbered messages set ack.number and ack.modulus instead"
            )
        ]
    return []


def control_tokens(ack: AckRule | None, poll: PollRule | None) -> dict[bytes, str]:
    """Return the bytes that stand outside frames, with their names."""
    tokens: dict[bytes, str] = {}
    if ack is not None:
        tokens |= {bytes.fromhex(ack.good): "good", bytes.fromhex(ack.bad): "bad"}
        if ack.enquiry is not None:
            tokens[bytes.fromhex(ack.enquiry)] = "enquiry"
    if poll is not None:
        tokens[bytes.fromhex(poll.nothing)] = "nothing"
    return tokens


def _token_problems(framing: FramingRule, ack: AckRule | None, poll: PollRule | None) -> list[str]:
    """Find bytes that cannot be distinguished as they arrive, since one begins with the other."""
    named = [("framing.start", framing.start)]
    if ack is not None:
        named += [("ack.good", ack.good), ("ack.bad", ack.bad)]
        named += [("ack.enquiry", ack.enquiry)] if ack.enquiry is not None else []
    if poll is not None:
        named.append(("poll.nothing", poll.nothing))
    known = [(name, bytes.fromhex(text)) for name, text in named]
    return [
        f"{second}: begins like {first}, so the two cannot be distinguished"
        for at, (first, one) in enumerate(known)
        for second, other in known[at + 1 :]
        if one.startswith(other) or other.startswith(one)
    ]

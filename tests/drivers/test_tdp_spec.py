"""SPEC.md is what a vendor implements: its vectors are checked against the code, both ways."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import pitwarden_drivers.tdp
from pitwarden_drivers.framing.stuffed import Framer, GoodFrame
from pitwarden_drivers.tdp.frames_device import BacklogFrame, EventFrame, HeartbeatFrame, IdentityFrame, ReplyFrame
from pitwarden_drivers.tdp.frames_host import AckFrame, CommandFrame, IdentifyFrame, LampFrame, ResumeFrame
from pitwarden_drivers.tdp.frames_list import STACK, ListBeginFrame, ListEndFrame, ListItemsFrame
from pitwarden_drivers.tdp.meaning import KINDS
from pitwarden_drivers.tdp.wire import TYPES, Frame, decode, encode

SPEC = (Path(pitwarden_drivers.tdp.__path__[0]) / "SPEC.md").read_text()
VECTOR = re.compile(
    r"^\| (?P<name>[^|]+) \| (?P<type>[A-Z]\w+) \| (?P<fields>[^|]+) \| `(?P<wire>[0-9A-F ]+)` \|$", re.MULTILINE
)
VECTORS = [match.groupdict() for match in VECTOR.finditer(SPEC)]
BY_NAME: dict[str, Callable[..., Frame]] = {
    "Identify": IdentifyFrame, "Resume": ResumeFrame, "Ack": AckFrame, "Command": CommandFrame, "Show": LampFrame,
    "Identity": IdentityFrame, "Backlog": BacklogFrame, "Event": EventFrame, "Reply": ReplyFrame,
    "Heartbeat": HeartbeatFrame, "Begin": ListBeginFrame, "Items": ListItemsFrame, "End": ListEndFrame,
}  # fmt: skip
"""The specification's names of the frames."""

READ: dict[str, Callable[[str], object]] = {
    "payload": lambda text: bytes.fromhex(text.strip("-")),
    "items": bytes.fromhex,
    "family": str,
    "serial": str,
    "firmware": str,
}


def built(vector: dict[str, str]) -> Frame:
    given = dict(pair.split("=") for pair in vector["fields"].split())
    kind = BY_NAME[vector["type"]]
    return kind(**{name: READ.get(name, int)(text) for name, text in given.items()})


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_a_vector_is_what_the_code_sends_and_reads(vector: dict[str, str]) -> None:
    frame, wire = built(vector), bytes.fromhex(vector["wire"])
    assert encode(frame) == wire
    (good,) = Framer().feed(wire)
    assert isinstance(good, GoodFrame)
    assert decode(good.content) == frame


def test_every_type_of_frame_has_a_vector_and_a_row_with_its_code() -> None:
    assert {vector["type"] for vector in VECTORS} == set(BY_NAME)
    rows = dict(re.findall(r"^\| ([0-9A-F]{2}) \| ([A-Z]\w+) \|", SPEC, re.MULTILINE))
    assert {code: BY_NAME[name] for code, name in rows.items()} == {f"{code:02X}": kind for code, kind in TYPES.items()}


def test_every_kind_of_event_has_its_row() -> None:
    rows = set(re.findall(r"^\| ([0-9A-F]{2}) \| (?:shoe|shuffler|reader|keypad)\.", SPEC, re.MULTILINE))
    assert rows == {f"{code:02X}" for code in (*KINDS, STACK)}

"""Matcher of one line against a map: an identity, an answer, an event, an ignored line, or an unknown one.

Patterns are RE2's: the time to match is linear in the line, for any pattern of the map's author.
"""

from dataclasses import dataclass

import re2

from pitwarden_drivers.api import Said
from pitwarden_drivers.mapping.checksums import checksum, checksum_bytes
from pitwarden_drivers.mapping.map_file import EventRule, MapFile
from pitwarden_drivers.mapping.meaning import event_from_fields


@dataclass(frozen=True, slots=True)
class MatchedIdentity:
    """Identity in the device's answer."""

    serial: str
    firmware: str


@dataclass(frozen=True, slots=True)
class NonEvent:
    """Line that is not an event: `heartbeat`, `ignored`, `unknown`, `bad checksum`."""

    what: str


class LineMatcher:
    """Map with compiled patterns."""

    def __init__(self, made: MapFile) -> None:
        self.map = made
        self._sum = None if made.checksum is None else re2.compile(made.checksum.pattern)
        numbered = None if made.ack is None else made.ack.number
        self._number = None if numbered is None else re2.compile(numbered)
        self._identity = re2.compile(made.identify.pattern)
        self._heartbeat = None if made.heartbeat is None else re2.compile(made.heartbeat.pattern)
        self._ignored = [re2.compile(pattern) for pattern in made.ignore]
        self._events = [(re2.compile(event.pattern), event) for event in made.events]

    def body(self, line: str) -> str | None:
        """Return the message of a line without its checksum, or of a frame's body without address and number.

        None when the checksum is missing or wrong, or the address is another device's.
        """
        if self.map.framing is not None:
            return self._without_head(line)
        if self._sum is None or self.map.checksum is None:
            return line
        found = self._sum.fullmatch(line)
        if found is None or found["body"] is None or found["sum"] is None:  # a group that the pattern makes optional
            return None
        body, written = found["body"], found["sum"]
        try:
            good = int(written, 16) == checksum(self.map.checksum.kind, body.encode("ascii"))
        except ValueError:
            return None
        return str(body) if good else None

    def _without_head(self, text: str) -> str | None:
        address = "" if self.map.poll is None else self.map.poll.address
        if not text.startswith(address):
            return None
        text = text.removeprefix(address)
        found = None if self._number is None else self._number.fullmatch(text)
        return text if found is None else str(found["body"])

    def sums(self, line: str) -> tuple[str, str] | None:
        """Return the checksum that `line` should have, in hexadecimal, and the one that it has; None without one."""
        found = None if self._sum is None else self._sum.fullmatch(line)
        if found is None or found["body"] is None or found["sum"] is None:
            return None
        return self._digits(found["body"]), str(found["sum"])

    def outgoing(self, text: str) -> str:
        """Return the line that sends `text`: with its checksum where the map defines how that is written."""
        rule = self.map.checksum
        if rule is None or rule.write is None:
            return text
        return rule.write.replace("{sum}", self._digits(text)).replace("{body}", text)

    def _digits(self, body: str) -> str:
        rule = self.map.checksum
        return "" if rule is None else f"{checksum(rule.kind, body.encode('ascii')):0{2 * checksum_bytes(rule.kind)}X}"

    def read(self, line: str) -> MatchedIdentity | NonEvent | Said:
        """Return the meaning of a line whose checksum was removed."""
        for pattern, event in self._events:
            if (found := pattern.fullmatch(line)) is not None:
                return event_from_fields(
                    event.kind, _fields(event, found.groupdict()), show_values=self.map.family == "shuffler"
                )
        if (found := self._identity.fullmatch(line)) is not None:
            return MatchedIdentity(found["serial"], found["firmware"])
        if self._heartbeat is not None and self._heartbeat.fullmatch(line):
            return NonEvent("heartbeat")
        return NonEvent("ignored" if any(pattern.fullmatch(line) for pattern in self._ignored) else "unknown")


def _fields(event: EventRule, groups: dict[str, str | None]) -> dict[str, str | int]:
    fields: dict[str, str | int] = dict(event.constant)
    for name, text in groups.items():
        if text is None:
            continue  # group of an alternative that did not match
        word = event.words.get(name, {}).get(text, text)
        fields[name] = int(word) * event.scale[name] if name in event.scale and word.isdecimal() else word
    return fields

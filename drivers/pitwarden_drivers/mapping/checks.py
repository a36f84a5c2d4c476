"""What is wrong with a map beyond its shape: patterns that cannot be used, events whose fields are not theirs."""

import difflib
from typing import Final

import re2

from pitwarden_drivers.mapping.meaning import FIELDS
from pitwarden_drivers.mapping.models import MapFile

_QUIET: Final = re2.Options()
_QUIET.log_errors = False


def patterns(made: MapFile) -> list[str]:
    """Patterns that RE2 does not take, or that lack a group."""
    wanted: list[tuple[str, str, tuple[str, ...]]] = [("identify", made.identify.pattern, ("serial", "firmware"))]
    if made.checksum is not None:
        wanted.append(("checksum", made.checksum.pattern, ("body", "sum")))
    if made.heartbeat is not None:
        wanted.append(("heartbeat", made.heartbeat.pattern, ()))
    wanted += [(f"ignore.{at}", pattern, ()) for at, pattern in enumerate(made.ignore)]
    wanted += [(f"event.{at}", event.pattern, ()) for at, event in enumerate(made.events)]
    for name, command in made.commands.items():
        wanted.append((f"command.{name}", command.pattern, ()))
        wanted += [(f"command.{name}.refused", command.refused, ())] if command.refused else []
    said: list[str] = []
    for place, pattern, groups in wanted:
        try:
            found = re2.compile(pattern, _QUIET).groupindex
        except re2.error as error:
            said.append(f"{place}.pattern: {_words(error)}: patterns are RE2's (no look-around, no back-references)")
            continue
        said += [f"{place}.pattern: the group (?P<{group}>...) is missing" for group in groups if group not in found]
    return said


def fields(made: MapFile) -> list[str]:
    """Events whose fields are not all there, or not theirs."""
    said: list[str] = []
    for at, event in enumerate(made.events):
        place = f"event.{at} ({event.kind})"
        if event.kind.split(".")[0] != made.family:
            said.append(f"{place}: is no event of a {made.family}")
        try:
            groups = set(re2.compile(event.pattern, _QUIET).groupindex)
        except re2.error:
            continue
        known = FIELDS[event.kind]
        given = groups | set(event.constant)
        said += [f"{place}: there is no field {name!r}{near(name, list(known))}" for name in sorted(given - set(known))]
        said += [
            f"{place}: the field {name!r} comes from nowhere"
            for name, must in known.items()
            if must and name not in given
        ]
        said += [
            f"{place}: {name!r} is translated or scaled, but is no group"
            for name in sorted((set(event.words) | set(event.scale)) - groups)
        ]
    return said


def near(word: str, known: list[str]) -> str:
    """The nearest of the `known` words in brackets; empty when none is near."""
    near = difflib.get_close_matches(word, known, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _words(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode(errors="replace") if isinstance(said, bytes) else str(said)

"""What is wrong with a map beyond its shape: patterns that cannot be used, events whose fields are not theirs."""

from pitwarden_drivers.mapping.meaning import FIELDS
from pitwarden_drivers.mapping.models import MapFile
from pitwarden_drivers.patterns import PatternRefused, groups_of
from pitwarden_drivers.toml_page import near


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
            found = groups_of(pattern)
        except PatternRefused as error:
            said.append(f"{place}.pattern: {error}")
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
            groups = set(groups_of(event.pattern))
        except PatternRefused:  # said above
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

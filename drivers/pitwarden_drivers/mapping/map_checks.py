"""Checks of a map beyond its shape: patterns, the fields of events, the link, and the test block's form."""

from collections.abc import Iterator

from pitwarden_client.spelling import nearest_hint
from pitwarden_drivers.mapping.link_rules import link_problems
from pitwarden_drivers.mapping.map_file import EventRule, MapFile
from pitwarden_drivers.mapping.meaning import FIELDS, allowed_words
from pitwarden_drivers.user_files import PatternError, named_groups


def map_problems(made: MapFile) -> list[str]:
    """Return every problem of the map, each with its place and the remedy."""
    return [
        *link_problems(made.framing, made.ack, made.poll, line_checksum=made.checksum is not None),
        *_confirmation_problems(made),
        *_test_problems(made),
        *check_patterns(made),
        *check_fields(made),
    ]


def _confirmation_problems(made: MapFile) -> list[str]:
    """Find commands that nothing confirms, and a checksum that cannot be written."""
    problems = [
        f"command.{name}.pattern: is missing: the message that confirms the command (only with [ack] the "
        f"acknowledgement is enough)"
        for name, command in made.commands.items()
        if command.pattern is None and made.ack is None
    ]
    if made.checksum is not None and made.checksum.write is not None:
        missing = [part for part in ("{body}", "{sum}") if part not in made.checksum.write]
        problems += [f"checksum.write: {part} is missing, for example '{{body}}*{{sum}}'" for part in missing]
    return problems


def _test_problems(made: MapFile) -> list[str]:
    problems: list[str] = []
    if not made.trials:
        example = '"DONE A" = "shuffler.done"'
        problems.append(f"tests: is missing: at least one line and what it must give, for example {example}")
    for at, trial in enumerate(made.test):
        if (trial.line is None) == (trial.frame is None):
            problems.append(f"test.{at}: needs either `line`, the text, or `frame`, the bytes in hexadecimal")
        elif trial.frame is not None and made.framing is None:
            problems.append(f"test.{at}.frame: needs the section [framing]; write a line as `line`")
    return problems


def check_patterns(made: MapFile) -> list[str]:
    """Return the problems of patterns that RE2 rejects, or that lack a group."""
    wanted: list[tuple[str, str, tuple[str, ...]]] = [("identify", made.identify.pattern, ("serial", "firmware"))]
    if made.checksum is not None:
        wanted.append(("checksum", made.checksum.pattern, ("body", "sum")))
    if made.heartbeat is not None:
        wanted.append(("heartbeat", made.heartbeat.pattern, ()))
    wanted += [(f"ignore.{at}", pattern, ()) for at, pattern in enumerate(made.ignore)]
    wanted += [(f"event.{at}", event.pattern, ()) for at, event in enumerate(made.events)]
    if made.ack is not None and made.ack.number is not None:
        wanted.append(("ack.number", made.ack.number, ("number", "body")))
    for name, command in made.commands.items():
        wanted += [(f"command.{name}", command.pattern, ())] if command.pattern else []
        wanted += [(f"command.{name}.refused", command.refused, ())] if command.refused else []
    problems: list[str] = []
    for place, pattern, groups in wanted:
        try:
            found = named_groups(pattern)
        except PatternError as error:
            problems.append(f"{place}.pattern: {error}")
            continue
        missing = (group for group in groups if group not in found)
        problems += [f"{place}.pattern: the group (?P<{group}>...) is missing" for group in missing]
    return problems


def check_fields(made: MapFile) -> list[str]:
    """Return the problems of events with missing or unknown fields."""
    problems: list[str] = []
    for at, event in enumerate(made.events):
        place = f"event.{at} ({event.kind})"
        if event.kind.split(".")[0] not in {made.family, "device"}:
            problems.append(f"{place}: is no event of a {made.family}")
        try:
            groups = set(named_groups(event.pattern))
        except PatternError:  # `check_patterns` reports it
            continue
        known = FIELDS[event.kind]
        given = groups | set(event.constant)
        problems += [
            f"{place}: there is no field {name!r}{nearest_hint(name, list(known))}"
            for name in sorted(given - set(known))
        ]
        problems += [
            f"{place}: the field {name!r} comes from nowhere"
            for name, must in known.items()
            if must and name not in given
        ]
        problems += [
            f"{place}: {name!r} is translated or scaled, but is no group"
            for name in sorted((set(event.words) | set(event.scale)) - groups)
        ]
        problems += [f"{place}: {one}" for one in _unknown_words(event)]
    return problems


def _unknown_words(event: EventRule) -> Iterator[str]:
    """Yield words of the map that the field of an event does not know."""
    given = [(name, str(value)) for name, value in event.constant.items()]
    given += [(name, word) for name, words in event.words.items() for word in words.values()]
    for name, word in given:
        known = allowed_words(event.kind, name)
        if known and word not in known:
            yield f"{name} must be {', '.join(known)}, not {word!r}{nearest_hint(word, known)}"

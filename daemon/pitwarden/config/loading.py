"""Loading and validation of a table file, and credentials from systemd.

Every problem has file, line, key, reason and the nearest spelling. `check-config` and `run` both call
`load_table_file`, so that both apply the same checks.

Secrets that systemd passes (LoadCredential=keys:DIR) are readable by this service only, whoever owns DIR.
"""

import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from pitwarden.config.broker_addresses import broker_problems
from pitwarden.config.judge_group import absolute_group_paths, judge_group_problems
from pitwarden.config.models import MetricsSection, Section, TableFile
from pitwarden.config.problems import ConfigError, ConfigProblem, collect_problems, find_line, nested_models
from pitwarden.system.gaming_day import check_zone
from pitwarden_client.events.hidden_text import find_hidden
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.spelling import nearest_hint

_GUARDED: Final = ("host", "port", "cert", "key", "client_ca")
_LONGEST: Final = 107  # bytes; unix(7)


def metrics_problems(metrics: MetricsSection | None, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each key of `[metrics]` that conflicts with the others, and why. `folder` is the table file's."""
    if metrics is None:
        return
    given = [key for key in _GUARDED if getattr(metrics, key) is not None]
    missing = [key for key in _GUARDED if key not in given]
    if metrics.socket is not None:
        if given:
            yield given[0], "does not go with socket: metrics are read in one place"
        if len(str(folder / metrics.socket).encode()) > _LONGEST:
            yield "socket", f"is a longer path than a socket may have ({_LONGEST} bytes)"
    elif not given:
        yield "socket", "is missing: name a local socket, or host, port, cert, key and client_ca of a guarded port"
    elif missing:
        reason = "a port is opened only to readers who bring a certificate: host, port, cert, key and client_ca"
        yield from ((key, f"is missing; {reason}") for key in missing)


def absolute_metrics_paths(metrics: MetricsSection, folder: Path) -> MetricsSection:
    """Return the section with absolute paths."""
    paths = {key: getattr(metrics, key) for key in ("socket", "cert", "key", "client_ca")}
    return metrics.model_copy(update={key: folder / path for key, path in paths.items() if path is not None})


PLACEHOLDER: Final = "A. Example"
"""Name in the shipped examples. A table that deals must state a person, so it is refused there."""

SIMULATED_SERIAL: Final = "SIM-"
"""First characters of every simulated device's serial number. A table that deals trusts no such device."""

ENVIRONMENT_PREFIX: Final = "PITWARDEN_"


@dataclass(frozen=True, slots=True)
class ExternalChecks:
    """Checks that other packages supply: of a port's path by (path, simulated), and of a driver by its name.

    A check raises ValueError to refuse. `rules` returns, for a table file, each key that the rules of the game do not
    allow, and the reason.
    """

    port: Callable[[str, bool], None]
    driver: Callable[[str], object]
    rules: Callable[[TableFile], Iterable[tuple[tuple[str, ...], str]]] = lambda _: ()


# Bytes of a table file that are read. The longest example has 2,700. Beyond it the wrong file was named, such as a
# device file without an end, and it must not fill the memory.
MOST_BYTES: Final = 131_072
# Characters of a line. The time that tomllib takes grows with the square of the parts of a key, and a key is one line.
MOST_IN_A_LINE: Final = 4_096


def load_table_file(file: Path, refusals: ExternalChecks, environment: Mapping[str, str]) -> TableFile:
    """Return the table file at `file`, with absolute paths.

    Raises:
        ConfigError: The file is not valid; the error has all problems.
    """
    name = str(file)
    try:
        text = _read(file)
        _refuse_hidden(name, text)
        tree = tomllib.loads(text)
    except OSError as error:
        raise ConfigError([ConfigProblem(name, 1, "file", f"cannot be read: {error.strerror}")]) from None
    except UnicodeDecodeError:
        raise ConfigError([ConfigProblem(name, 1, "file", "is not UTF-8 text")]) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([ConfigProblem(name, _line_in(str(error)), "file", f"is not TOML: {error}")]) from None
    except (ValueError, RecursionError):  # what tomllib does not put into words of its own
        reason = "is not TOML: a number is too long, or brackets stand too deep"
        raise ConfigError([ConfigProblem(name, 1, "file", reason)]) from None
    try:
        table = TableFile.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(collect_problems(name, text, error)) from None
    # All problems in one error, so that a technician edits the file once.
    problems = [*_outside(name, text, table, refusals), *_environment(environment)]
    if problems:
        raise ConfigError(problems)
    return _absolute(table, file.resolve().parent)


def _read(file: Path) -> str:
    with file.open("rb") as opened:
        data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        reason = f"is longer than {MOST_BYTES} bytes. A table file is a few pages: check which file was named"
        raise ConfigError([ConfigProblem(str(file), 1, "file", reason)])
    # As text is read everywhere: one form of line end.
    text = data.decode().replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MOST_IN_A_LINE:
            reason = f"the line is longer than {MOST_IN_A_LINE} characters. Break the list or the text in it"
            raise ConfigError([ConfigProblem(str(file), number, "file", reason)])
    return text


def _refuse_hidden(name: str, text: str) -> None:
    """Refuse text that an editor does not show as it is, also in comments: what a person reads is what applies."""
    # Not `splitlines`, which takes some of these characters for ends of lines.
    lines = enumerate(text.replace("\r\n", "\n").replace("\t", " ").split("\n"), 1)
    found = [(number, hidden) for number, line in lines if (hidden := find_hidden(line))]
    if found:
        problems = [ConfigProblem(name, number, "file", f"holds the hidden character {hidden}. Remove it")
                    for number, hidden in found]  # fmt: skip
        raise ConfigError(problems)


def _line_in(message: str) -> int:
    words = message.replace(",", " ").split()
    return int(words[words.index("line") + 1]) if "line" in words else 1


NewProblem = Callable[..., ConfigProblem]


def _outside(name: str, text: str, table: TableFile, refusals: ExternalChecks) -> Iterable[ConfigProblem]:
    """Yield problems that the models alone cannot find: paths, drivers, acts, and conflicting keys."""

    def problem(reason: str, *path: str) -> ConfigProblem:
        return ConfigProblem(name, find_line(text, path), ".".join(path), reason)

    for ident in table.devices:
        yield from _device(ident, table, refusals, problem)
    yield from (problem(reason, "devices", ident, key) for ident, key, reason in _shared(table))
    for key, reason in refusals.rules(_absolute(table, Path(name).resolve().parent)):
        yield problem(reason, *key)
    sections = {
        "table": _zone_problems(table.table.zone),
        "broker": broker_problems(table.broker),
        "judge_group": judge_group_problems(table.judge_group),
        "metrics": metrics_problems(table.metrics, Path(name).resolve().parent),
    }
    yield from (problem(why, section, key) for section, found in sections.items() for key, why in found)
    yield from _placeholders(table, problem)
    if table.inputs.keyed != "all":
        for act in table.inputs.keyed:
            if act not in _acts():
                yield problem(f"{act} is no known input{nearest_hint(act, _acts())}", "inputs", "keyed")


def _placeholders(table: TableFile, problem: NewProblem) -> Iterable[ConfigProblem]:
    """Yield attestations of the examples, which state no person; a simulated table needs none."""
    for ident, attested in table.attestations.items():
        if attested.by == PLACEHOLDER and not table.table.simulated:
            reason = "is the example's placeholder: write the name of the person who attests it, and the day"
            yield problem(reason, "attestations", ident, "by")


def _zone_problems(zone: str) -> Iterator[tuple[str, str]]:
    try:
        check_zone(zone)
    except ValueError as error:
        yield "zone", str(error)


def _device(ident: str, table: TableFile, refusals: ExternalChecks, problem: NewProblem) -> Iterable[ConfigProblem]:
    device = table.devices[ident]
    if not ident.startswith(device.family):
        yield problem(f"names a {device.family}; such a name begins with {device.family}", "devices", ident)
    if device.lock and device.family != "shoe":
        yield problem("is for a dealing shoe; nothing else holds cards back by it", "devices", ident, "lock")
    try:
        refusals.port(device.port, table.table.simulated)
    except ValueError as error:
        yield problem(str(error), "devices", ident, "port")
    if device.serial.startswith(SIMULATED_SERIAL) and not table.table.simulated:
        reason = "is the number of a simulated device: write that of the real one, or `simulated = true` in [table]"
        yield problem(reason, "devices", ident, "serial")
    try:
        refusals.driver(device.driver)
    except ValueError as error:
        yield problem(str(error), "devices", ident, "driver")


def _shared(table: TableFile) -> Iterable[tuple[str, str, str]]:
    """Yield device, key and reason of each serial number and each port that a device before it has too."""
    for one, other in _twice([(ident, device.serial) for ident, device in table.devices.items()]):
        yield other, "serial", f"is the serial number of device {one} too; two devices cannot share one"
    # Two links may lead to one port. An address of a network or a bus leads to itself.
    places = {ident: os.path.realpath(device.port) for ident, device in table.devices.items()}
    for one, other in _twice(list(places.items())):
        same = table.devices[one].port == table.devices[other].port
        how = "" if same else f" (both lead to {places[other]})"
        yield other, "port", f"is the port of device {one} too{how}; two devices cannot share one"


def _twice(pairs: list[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    first: dict[str, str] = {}
    for ident, value in pairs:
        if value in first:
            yield first[value], ident
        first.setdefault(value, ident)


def _acts() -> list[str]:
    """Return every act that a terminal may send, sorted."""
    return sorted(
        model.model_fields["act"].default for model in nested_models(InputLogged.model_fields["act"].annotation)
    )


def _environment(environment: Mapping[str, str]) -> Iterable[ConfigProblem]:
    for name in sorted(environment):
        if name.startswith(ENVIRONMENT_PREFIX):
            yield ConfigProblem(
                "environment", 1, name, "no setting is read from the environment: put it in the table file"
            )


def _absolute(table: TableFile, folder: Path) -> TableFile:
    storage = table.storage.model_copy(
        update={"journals": folder / table.storage.journals, "keys": folder / table.storage.keys}
    )
    files = {
        key: folder / given
        for key in ("password_file", "ca", "cert", "key")
        if (given := getattr(table.broker, key)) is not None
    }
    metrics = None if table.metrics is None else absolute_metrics_paths(table.metrics, folder)
    group = None if table.judge_group is None else absolute_group_paths(table.judge_group, folder)
    broker, own = table.broker.model_copy(update=files), table.table.profiles
    section = table.table.model_copy(update={"profiles": None if own is None else folder / own})
    sections = {"table": section, "storage": storage, "broker": broker, "metrics": metrics, "judge_group": group}
    return table.model_copy(update=sections)


CREDENTIAL_PREFIX: Final = "keys_"
"""Prefix of file names: systemd puts the credential's id and _ before the name of each file of a folder."""


def with_credentials(file: TableFile, folder: Path) -> TableFile:
    """Return the table file with the secrets of its key folder read from `folder` instead."""
    given: dict[str, Section | None] = {"broker": file.broker, "metrics": file.metrics, "judge_group": file.judge_group}
    moved = {
        name: section.model_copy(update=_moved(section, file.storage.keys, folder))
        for name, section in given.items()
        if section is not None
    }
    return file.model_copy(update=moved)


def _moved(section: Section, keys: Path, folder: Path) -> dict[str, Path]:
    return {
        key: folder / f"{CREDENTIAL_PREFIX}{given.name}"
        for key in ("password_file", "key")
        if (given := getattr(section, key, None)) is not None and given.parent == keys
    }

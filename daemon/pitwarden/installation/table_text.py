"""Text of a table file from answers, and its validation as `check-config` validates it."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pitwarden.config.halves import half_login
from pitwarden.config.models import TableFile
from pitwarden.config.problems import ConfigError, ConfigProblem
from pitwarden.installation.answers import Answers, AnswersError
from pitwarden.installation.toml_text import toml_section
from pitwarden_client.events.topics import HALVES

CONFIG: Final = Path("/etc/pitwarden")
SAFE_NAME: Final = re.compile(r"^[A-Za-z0-9_-]{1,64}$")

Loader = Callable[[Path], TableFile]
"""Function that loads a table file with the checks of `check-config`; it raises ConfigError."""

_NAMED: Final = frozenset({"attestations", "devices", "pay"})
"""Sections whose keys are names, each with a section of its own."""

_ORDER: Final = ("table", "broker", "storage", "judge", "attestations", "devices", "rules", "metrics", "inputs", "pay")


def key_folder(table: str) -> Path:
    """Return the folder of the table's keys and secrets."""
    return CONFIG / f"{table}.keys"


def service_folders(table: str, *, apart: bool) -> dict[str, Path]:
    """Return the folders of keys and secrets, by the broker login that has its password there."""
    folder = key_folder(table)
    return {half_login(table, half): folder / half for half in HALVES} if apart else {table: folder}


def table_text(answers: Answers, load: Loader) -> str:
    """Return the text of the table file that follows from `answers`.

    What this table must attest and has no section of its own is attested as `[setup]` states.

    Raises:
        AnswersError: The table is not valid; the message has every problem with its key.
    """
    for name, given in (("site", answers.site), ("table", answers.table)):
        if not SAFE_NAME.match(given):
            raise AnswersError(f"table.{name}: {given!r} is no name: use letters, digits, _ and -, at most 64")
    sections = {name: dict(values) for name, values in answers.sections.items()}
    text = _render(answers, sections)
    problems = _problems(answers, text, load)
    missing = [one.key.split(".")[1] for one in problems if _is_missing_attestation(one)]
    if missing and answers.setup.attested is not None:
        attested = answers.setup.attested.model_dump(exclude_none=True)
        sections["attestations"] = sections.get("attestations", {}) | dict.fromkeys(missing, attested)
        text = _render(answers, sections)
        problems = _problems(answers, text, load)
    if problems:
        raise AnswersError("\n".join(f"{one.key}: {one.reason}" for one in problems))
    return text


HOUSE_ZONE: Final = "America/New_York"
"""Time zone of a house whose answers name none: every house under the supported regulations is in New Jersey."""


def _render(answers: Answers, sections: Mapping[str, Mapping[str, object]]) -> str:
    table = answers.table
    decided: dict[str, dict[str, object]] = {
        "storage": {
            "journals": f"/var/lib/pitwarden/{table}",
            "keys": f"{table}.keys",
            "halves": answers.setup.halves,
        },
        "metrics": {"socket": f"/run/pitwarden/{table}/metrics"},
        "broker": {"username": table, "password_file": f"{table}.keys/broker.password"},
    }
    sections = {**sections, "table": {"zone": HOUSE_ZONE, **sections.get("table", {})}}
    everything = {name: {**sections.get(name, {}), **decided.get(name, {})} for name in _ORDER}
    head = f"# Table {table}. Written by `pitwarden setup`; edit it and check it with: pitwarden check-config FILE\n"
    return "\n".join([head, *(part for name, values in everything.items() for part in _written(name, values))])


def _written(name: str, values: Mapping[str, object]) -> Iterator[str]:
    if name not in _NAMED:
        yield from [toml_section((name,), values)] if values else []
        return
    for key, inner in values.items():
        if not isinstance(inner, Mapping):
            raise AnswersError(f"{name}.{key}: must be a section, [{name}.{key}]")
        yield toml_section((name, key), inner)


def _problems(answers: Answers, text: str, load: Loader) -> tuple[ConfigProblem, ...]:
    with TemporaryDirectory(prefix="pitwarden-setup-") as folder:
        file = Path(folder) / f"{answers.table}.toml"
        file.write_text(text, encoding="utf-8")
        try:
            load(file)
        except ConfigError as error:
            return error.problems
    return ()


def _is_missing_attestation(problem: ConfigProblem) -> bool:
    return problem.key.startswith("attestations.") and problem.reason.startswith("is missing")

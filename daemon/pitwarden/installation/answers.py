"""Answers of the technician: what only a person at the table can know.

An answers file is a table file without what the installation decides itself (login, storage, metrics), plus a section
`[setup]`. It is validated as a table file is.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from pitwarden.config.models import AttestationSection, Words
from pitwarden.config.problems import worded_errors
from pitwarden_client.spelling import nearest_hint

TERMINAL_ROLES: Final = ("dealer", "floor", "supervisor")
SECTIONS: Final = ("table", "broker", "devices", "rules", "inputs", "attestations", "pay", "judge")
DECIDED_HERE: Final[Mapping[str, frozenset[str]]] = {
    "broker": frozenset({"username", "password_file", "cert", "key"}),
}


class AnswersError(Exception):
    """The answers are not usable.

    Policy: print the sentence and stop with exit code 78; no file is written.

    Example: a section that the installation decides itself.
    """


class SetupSection(BaseModel):
    """Section `[setup]` of an answers file.

    `attested`: who attests everything that this table needs, for clauses without a section of their own. `pit`: names
    or addresses at which terminals reach this controller; without it there is no listener for terminals. `consumers`:
    logins of the access list that read every table of the site and get a folder. `authority`:
    who signs certificates, an authority that is made here or the house's own. `halves`: whether each half of the table
    has an account, folders and a login of its own, or both run in one process.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    attested: AttestationSection | None = None
    terminals: tuple[Literal["dealer", "floor", "supervisor"], ...] = TERMINAL_ROLES
    consumers: tuple[Literal["historian"], ...] = ("historian",)
    pit: tuple[Words, ...] = ()
    authority: Literal["here", "house"] = "here"
    halves: Literal["apart", "together"] = "apart"


class Answers(BaseModel):
    """Sections of the table file as they were given, and `[setup]`."""

    model_config = ConfigDict(frozen=True)

    sections: dict[str, dict[str, object]]
    setup: SetupSection = SetupSection()

    @property
    def site(self) -> str:
        """Site, part of every topic."""
        return str(self.sections["table"].get("site", ""))

    @property
    def table(self) -> str:
        """Table, part of every topic; also the name of its files and its login."""
        return str(self.sections["table"].get("table", ""))

    @property
    def is_simulated(self) -> bool:
        """True where no card is a real one: the table is marked, and its units may open simulated devices."""
        return self.sections["table"].get("simulated") is True

    @property
    def is_apart(self) -> bool:
        """True where each half has an account, folders and a login of its own."""
        return self.setup.halves == "apart"

    @property
    def has_local_broker(self) -> bool:
        """True when the broker runs on this controller, so that its files belong to this installation."""
        broker = self.sections.get("broker", {})
        return "addresses" not in broker and broker.get("host", "127.0.0.1") in {"127.0.0.1", "localhost", "::1"}


def read_answers(file: Path) -> Answers:
    """Return the answers in the TOML file `file`.

    Raises:
        AnswersError: The file cannot be read, or contains what the installation decides itself.
    """
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise AnswersError(f"{file}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise AnswersError(f"{file}: is not TOML in UTF-8: {error}") from None
    return parse_answers(tree, str(file))


def parse_answers(tree: Mapping[str, object], name: str) -> Answers:
    """Return the answers in the parsed TOML `tree`; `name` stands in messages.

    Raises:
        AnswersError: A section is unknown, or contains what the installation decides itself.
    """
    sections: dict[str, dict[str, object]] = {}
    for key, value in tree.items():
        if key == "setup":
            continue
        if key not in SECTIONS:
            known = ", ".join((*SECTIONS, "setup"))
            hint = nearest_hint(key, (*SECTIONS, "setup"), "[{}]")
            raise AnswersError(f"{name}: [{key}] does not belong in answers{hint}; sections are: {known}")
        if not isinstance(value, dict):
            raise AnswersError(f"{name}: {key} must be a section, [{key}]")
        decided = sorted(set(value) & DECIDED_HERE.get(key, frozenset()))
        if decided:
            raise AnswersError(f"{name}: {key}.{decided[0]} is decided by the installation: leave it out")
        sections[key] = {str(inner): given for inner, given in value.items()}
    if "table" not in sections:
        raise AnswersError(f"{name}: [table] is missing: at least site, table, game, positions and decks")
    given = tree.get("setup", {})
    try:
        setup = SetupSection.model_validate(_tuples(given if isinstance(given, dict) else {"": given}))
    except ValidationError as error:
        lines = [
            f"{name}: {'.'.join(('setup', *path))}: {reason}" for path, reason in worded_errors(error, SetupSection)
        ]
        raise AnswersError("\n".join(lines)) from None
    return Answers(sections=sections, setup=setup)


def _tuples(given: Mapping[str, object]) -> dict[str, object]:
    return {str(key): tuple(value) if isinstance(value, list) else value for key, value in given.items()}

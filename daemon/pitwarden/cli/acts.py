"""Acts of terminals as they are typed: `kp.boxes boxes=[1,2]`; and the list of all of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from pitwarden.config.models import InputsSection, TableFile
from pitwarden.config.problems import nested_models
from pitwarden.judge.table_setup import build_table_setup
from pitwarden.rules import GameProfile, load_profile
from pitwarden.rules.profile.library import default_decks
from pitwarden.rules.profile.loading import OF_SOME_GAMES
from pitwarden_client.events.base import Record, Role
from pitwarden_client.events.inputs import Act
from pitwarden_client.spelling import nearest_hint

_ACTS: Final[TypeAdapter[Record]] = TypeAdapter(Act)


def parse_act(name: str, words: Sequence[str]) -> Record:
    """Return the act `name` with the fields in `words`, each `key=value`, where a value is JSON or else text.

    Raises:
        ValueError: The act or a field is wrong; the sentence advises what to write.
    """
    fields: dict[str, object] = {"act": name}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word!r} is no argument: write key=value")
        fields[key] = _value(value)
    try:
        return _ACTS.validate_json(json.dumps(fields))
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        # A misspelt argument is missing by its right name, too: its own name is what was typed.
        first = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
        if first["type"] == "union_tag_invalid":
            raise ValueError(f"{name} is no act{nearest_hint(name, known_acts())}") from None
        raise ValueError(f"{name}: {_worded(name, first)}") from None


def _worded(name: str, error: ErrorDetails) -> str:
    """Return what is wrong with an argument, in the words of what is typed."""
    place = ".".join(str(part) for part in error["loc"][1:])
    if error["type"] == "missing":
        return f"{place} is missing: write {place}=..."
    if error["type"] == "extra_forbidden":
        known = [key for key in _model_of(name).model_fields if key != "act"]
        return f"{place} is no argument" + (nearest_hint(place, known, "{}=") or f": it has {', '.join(known)}")
    said = error["msg"][0].lower() + error["msg"][1:]
    return f"{place}: {said.replace('input should be a valid boolean', 'write true or false')}" if place else said


def _model_of(name: str) -> type[BaseModel]:
    return next(model for model in nested_models(Act) if _act_name(model) == name)


def known_acts() -> list[str]:
    """Return the names of all acts, sorted."""
    return sorted(_ACTS.json_schema()["discriminator"]["mapping"])


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


@dataclass(frozen=True, slots=True)
class TableActs:
    """Acts of one table: those of its game that its `[inputs]` do not leave out."""

    profile: GameProfile
    inputs: InputsSection

    def has(self, name: str) -> bool:
        """Return whether the act `name` is keyed at the table."""
        return (name not in OF_SOME_GAMES or name in self.profile.keys.acts) and self.inputs.keys(name)


def acts_of_table(table: TableFile) -> TableActs:
    """Return the acts of a table file.

    Raises:
        ProfileError: The table's game is wrong.
    """
    return TableActs(build_table_setup(table).profile, table.inputs)


def acts_of_game(game: str, inputs: InputsSection) -> TableActs:
    """Return the acts of a table of `game`, a game of the package. With how many decks it is played changes no act.

    Raises:
        ProfileError: The package has no such game.
    """
    return TableActs(load_profile(game, default_decks(game)), inputs)


def act_lines(role: Role | None, table: TableActs | None = None) -> list[str]:
    """Return a line for each act that `role` may send: its name, arguments and meaning.

    Args:
        role: Role of the terminal; None for every role.
        table: Acts of the table; None for those of all games.
    """
    lines: list[str] = []
    for model in sorted(nested_models(Act), key=_act_name):
        name = _act_name(model)
        if role is not None and (role == "dealer") != name.startswith("kp."):
            continue
        if table is not None and not table.has(name):
            continue
        fields = ((key, one) for key, one in model.model_fields.items() if key != "act")
        shown = " ".join(f"{key}=..." if one.is_required() else f"[{key}=...]" for key, one in fields)
        lines.append(f"{name} {shown}".rstrip())
        lines.append(f"    {(model.__doc__ or '').strip().splitlines()[0]}")
    return lines


def _act_name(model: type[BaseModel]) -> str:
    return str(model.model_fields["act"].default)

"""Words of a scenario for terminal inputs: `kp.hit 2`, `kp.close attack2`, `ft.inspect shoe ok`, `ack TAB-36`.

The words are the acts of the dealer and the floor, with their fields in order, and the short words of the rules
catalog, section E. `by=NAME` names the operator, `as=supervisor` the role, `with=NAME` the second person of an act.
"""

from typing import Final, Protocol, get_args

from pydantic.fields import FieldInfo

from pitwarden.scenario.arguments import Arguments, BuiltEvent, parse_int, validate_values
from pitwarden.scenario.errors import ScenarioError, unknown_word_error
from pitwarden_client.events.base import Position, Record
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.floor import FloorAct
from pitwarden_client.events.inputs import SUPERVISOR_ONLY, InputLogged

ACTS: Final[dict[str, type[Record]]] = {
    model.model_fields["act"].default: model for model in (*get_args(DealerAct), *get_args(FloorAct))
}
SHORT: Final[dict[str, tuple[str, dict[str, str]]]] = {
    **{
        f"kp.{decision}": ("kp.decision", {"decision": decision})
        for decision in ("hit", "stand", "double", "split", "surrender", "fold", "play")
    },
    "kp.opt": ("kp.option", {}),
    "kp.bonus": ("kp.wager", {"wager": "suited_royals"}),
}
"""Short word, its act, and the fields that it sets."""

PERSON_WORDS: Final = frozenset({*ACTS, *SHORT})

_ALIASES: Final = {"tens": "tens_removed", "set": "set_id", "color": "colour", "ref": "reference", "dev": "device"}
_SWITCHES: Final = {
    "exposed": True, "unexposed": False, "ok": True, "fail": False, "yes": True, "no": False, "locked": True,
    "unlocked": False, "secured": True, "unsecured": False, "all": True, "sampled": False,
}  # fmt: skip
_MOST: Final = 99_999_999_999  # cents
_MOST_LISTED: Final = 999
LAST_BOX: Final = 7
_ROLES: Final = ("dealer", "floor", "supervisor")
USUAL_TEXTS: Final = {
    "ruling": "ruled by the floorperson at the table",
    "reason": "looked at the card and the device",
    "reference": "ICP-1",
}
"""Texts of an input for which a scenario gives none."""


class LogReferences(Protocol):
    """Lookup of earlier rows, for words that refer to them."""

    def ref(self, catalogue: str) -> str:
        """Return the ref of the open, else the last, irregularity with this catalogue number.

        Raises:
            ScenarioError: There is none.
        """
        ...

    def input_number(self, word: str) -> int:
        """Return the log number of the last input keyed with `word`.

        Raises:
            ScenarioError: There is none.
        """
        ...

    def author(self, number: int) -> tuple[str, str]:
        """Return the role and the person of the input at log number `number`."""
        ...

    def position(self) -> Position | None:
        """Return the last row, to which an input responds; None before the first."""
        ...


def build_input(word: str, args: Arguments, log: LogReferences) -> BuiltEvent:
    """Return the input that `word` names.

    Raises:
        ScenarioError: The arguments do not fit.
    """
    act, fixed = SHORT.get(word, (word, {}))
    named = dict(args.named)
    person, role, witness = named.pop("by", ""), named.pop("as", ""), named.pop("with", None)
    if role and role not in _ROLES:
        raise unknown_word_error(role, "role", _ROLES)
    values = _values(ACTS[act], Arguments(args.plain, named), fixed)
    _resolve(act, values, log)
    if act == "retract":
        author_role, author = log.author(int(str(values["number"])))
        role, person = role or author_role, person or author
    role = role or _role_of(act)
    fields = {"act": validate_values(ACTS[act], values).model_dump(), "role": role, "terminal": f"{role}-terminal"}
    position = log.position()
    data = validate_values(
        InputLogged,
        fields
        | {
            "person": person or f"{role}-1",
            "input_id": f"i{position.number + 1 if position else 1}",
            "as_of": position.model_dump() if position else None,
            "witness": witness,
        },
    )
    return BuiltEvent(f"{role}-terminal", data)


def _role_of(act: str) -> str:
    if act in SUPERVISOR_ONLY:
        return "supervisor"
    return "dealer" if act.startswith("kp.") else "floor"


def _values(model: type[Record], args: Arguments, fixed: dict[str, str]) -> dict[str, object]:
    fields = {name: info for name, info in model.model_fields.items() if name != "act"}
    values: dict[str, object] = dict(fixed)
    free = [name for name in fields if name not in fixed]
    for key, text in args.named.items():
        name = _ALIASES.get(key, key) if _ALIASES.get(key, key) in fields else key
        if name not in fields:
            raise unknown_word_error(
                key, "argument of this input", {*fields, *(a for a, full in _ALIASES.items() if full in fields)}
            )
        values[name] = _convert(fields[name], text)
        free.remove(name)
    plain = list(args.plain)
    for name in free:
        if fields[name].annotation is not None and "tuple" in str(fields[name].annotation):
            values[name], plain = _numbers(plain, name), []
        elif plain:
            values[name] = _convert(fields[name], plain.pop(0))
        elif fields[name].is_required() and name in USUAL_TEXTS:
            values[name] = USUAL_TEXTS[name]
        elif fields[name].is_required():
            raise ScenarioError(f"{name} is missing")
    if plain:
        raise ScenarioError(f"{plain[0]!r} is one argument too many")
    return values


def _convert(info: FieldInfo, text: str) -> object:
    if info.annotation is bool:
        if text not in _SWITCHES:
            raise unknown_word_error(text, "yes or no", _SWITCHES)
        return _SWITCHES[text]
    known = [word for word in get_args(info.annotation) if isinstance(word, str)]
    if known and text not in known and not text.isdecimal():
        raise unknown_word_error(text, "choice here", known)
    return (
        parse_int(text, "an amount or a number", 0, _MOST) if text.isdecimal() and info.annotation is not str else text
    )


def _numbers(texts: list[str], name: str) -> list[int]:
    """Return the numbers in `texts`, ranges included; boxes up to the last that a layout has (13:69E-1.13V(a))."""
    most = LAST_BOX if name == "boxes" else _MOST_LISTED
    found: list[int] = []
    for text in texts:
        low, dash, high = text.partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()):
            raise ScenarioError(f"{text!r} is no number: write 1 2 3 or 1-3")
        first = parse_int(low, "each of them", 0, _MOST_LISTED)
        if high.isdecimal() and len(high) <= len(low) and int(high) < first:
            raise ScenarioError(f"{text!r} counts backwards (did you mean {high}-{low}?)")
        last = parse_int(high or low, "each of them", first, _MOST_LISTED)
        if last > most:
            shown = f"{first}-{most}" if first < most else str(most)
            raise ScenarioError(f"{text!r}: no table has more than {most} {name} (did you mean {shown}?)")
        found.extend(range(first, last + 1))
    return found


def _resolve(act: str, values: dict[str, object], log: LogReferences) -> None:
    """Replace catalogue numbers and words by the refs and numbers that the log has for them."""
    if "irregularity" in values:
        values["irregularity"] = log.ref(str(values["irregularity"]))
    if act == "retract":
        values["number"] = log.input_number(str(values["number"]))

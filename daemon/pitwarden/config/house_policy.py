"""Keys of the section `[rules]` that are switches of the house policy, made of the policy's own declaration.

The rules declare each switch once, with its values and its default. Here it becomes a key of the table file, which is
as strict as every other key: no unknown name, no coerced type, no number out of range.
"""

from dataclasses import fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import Field

from pitwarden.rules.setup.table_setup import HousePolicy, SwitchKind, SwitchRange


def switch_keys(listed: object) -> dict[str, tuple[Any, Any]]:
    """Return annotation and default of each key, as `pydantic.create_model` takes them.

    Args:
        listed: Annotation of a key whose value is a list of words.
    """
    hints = get_type_hints(HousePolicy, include_extras=True)
    kinds = {one.name: _marks(hints[one.name]) for one in fields(HousePolicy)}
    return {
        one.name: _key(hints[one.name], one.default, listed)
        for one in fields(HousePolicy)
        if SwitchKind.FIXED not in kinds[one.name]
    }


def house_policy(settings: dict[str, object]) -> HousePolicy:
    """Return the policy with these values of keys; None, and a missing key, mean the default."""
    return HousePolicy(**{name: value for name, value in settings.items() if value is not None})  # type: ignore[arg-type]  # the keys are made of its fields


def _marks(hint: object) -> tuple[object, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def _key(hint: Any, default: object, listed: object) -> tuple[Any, Any]:  # noqa: ANN401  a type form
    marks = _marks(hint)
    value: Any = get_args(hint)[0] if marks else hint
    if get_origin(value) is tuple:
        value = listed
    if SwitchKind.OPEN in marks and get_origin(value) is Literal:
        value = Literal[tuple(word for word in get_args(value) if word)]
    for mark in marks:
        if isinstance(mark, SwitchRange):
            value = Annotated[value, Field(ge=mark.least, le=mark.most)]
    return (value | None, None) if SwitchKind.OPEN in marks else (value, default)

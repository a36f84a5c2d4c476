"""The arguments of a line, the event that they make, and how a wrong one is named."""

from dataclasses import dataclass, field
from typing import Final, TypeVar

from pitwarden_client.events.base import Record
from pitwarden_client.events.card_faces import face_of
from pitwarden_client.events.device import DeviceEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import TableEvent
from pydantic import ValidationError

from pitwarden.scenario.errors import ScenarioError, unknown

M = TypeVar("M", bound=Record)
_DIGITS: Final = 12
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Made:
    """An event and who said it, with what its seals would hold."""

    source: str
    data: DeviceEvent | InputLogged | TableEvent
    faces: tuple[int, ...] = field(default=(), repr=False)
    bit: bool | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Args:
    """The arguments of a line: those without a name in order, and `key=value`."""

    plain: tuple[str, ...]
    named: dict[str, str]

    @classmethod
    def of(cls, tokens: tuple[str, ...]) -> "Args":
        """`tokens` sorted into plain and named ones."""
        pairs = [token.partition("=") for token in tokens if "=" in token]
        return cls(tuple(t for t in tokens if "=" not in t), {key: value for key, _, value in pairs})

    def at(self, index: int, what: str) -> str:
        """The plain argument `index`; ScenarioError naming `what` when it is missing."""
        if index >= len(self.plain):
            raise ScenarioError(f"{what} is missing")
        return self.plain[index]

    def within(self, most: int, names: tuple[str, ...] = ()) -> None:
        """ScenarioError for a plain argument beyond `most`, or a name not among `names`."""
        if len(self.plain) > most:
            raise ScenarioError(f"{self.plain[most]!r} is one argument too many")
        for name in self.named:
            if name not in names:
                raise unknown(name, "argument of this event", (*names, "dev"))


def check(model: type[M], values: dict[str, object]) -> M:
    """`values`, which may still be text, as a `model`; ScenarioError naming field and reason."""
    try:
        return model.model_validate(values, strict=False)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the event"
        raise ScenarioError(f"{place}: {first['msg'][:160]}") from None


def whole(text: str, what: str, low: int, high: int) -> int:
    """`text` as a whole number; ScenarioError naming `what` when it is none, or not from `low` to `high`."""
    number = int(text) if text.isdecimal() and len(text) <= _DIGITS else -1
    if not low <= number <= high:
        raise ScenarioError(f"{what} is a number from {low} to {high}, not {text[:_SHOWN]!r}")
    return number


def count_of(text: str) -> int | None:
    """A count of cards; `-` where the device does not count."""
    if text == "-":
        return None
    if not text.isdecimal() or len(text) > _DIGITS:
        raise ScenarioError(
            f"{text[:_SHOWN]!r} is no number of cards: write a whole number, or - for a device that cannot count"
        )
    return int(text)


def card(text: str) -> int:
    """The face that `text` names."""
    try:
        return face_of(text)
    except ValueError as error:
        raise ScenarioError(str(error)) from None

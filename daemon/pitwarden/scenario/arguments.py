"""Arguments and times of a scenario line, and the errors for wrong ones.

A line's time is `+30s`, `+5m`, `@10:00` or `@+1d 08:00`; without one, the line is two seconds after the previous one.
Log time is in ms from the start of the file, UTC in ms from midnight of the scenario's day.
"""

import re
from dataclasses import dataclass, field
from typing import Final, TypeVar

from pydantic import ValidationError

from pitwarden.scenario.errors import ScenarioError, unknown_word_error
from pitwarden_client.events.base import Record
from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.device import DeviceEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import TableEvent

M = TypeVar("M", bound=Record)
_DIGITS: Final = 12
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class BuiltEvent:
    """Event of a line, its source, and the plain content of its seals."""

    source: str
    data: DeviceEvent | InputLogged | TableEvent
    faces: tuple[int, ...] = field(default=(), repr=False)
    bit: bool | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments of a line: those without a name, in order, and `key=value` pairs."""

    plain: tuple[str, ...]
    named: dict[str, str]

    @classmethod
    def of(cls, tokens: tuple[str, ...]) -> "Arguments":
        """Return `tokens` as arguments."""
        pairs = [token.partition("=") for token in tokens if "=" in token]
        return cls(tuple(t for t in tokens if "=" not in t), {key: value for key, _, value in pairs})

    def at(self, index: int, what: str) -> str:
        """Return the plain argument `index`.

        Raises:
            ScenarioError: It is missing; the sentence names `what`.
        """
        if index >= len(self.plain):
            raise ScenarioError(f"{what} is missing")
        return self.plain[index]

    def within(self, most: int, names: tuple[str, ...] = ()) -> None:
        """Check the number of plain arguments and the names of the others.

        Raises:
            ScenarioError: There are more than `most` plain arguments, or a name is not among `names`.
        """
        if len(self.plain) > most:
            raise ScenarioError(f"{self.plain[most]!r} is one argument too many")
        for name in self.named:
            if name not in names:
                raise unknown_word_error(name, "argument of this event", (*names, "dev"))


def validate_values(model: type[M], values: dict[str, object]) -> M:
    """Return `values`, which may be text, as a `model`.

    Raises:
        ScenarioError: A value does not fit; the sentence names the field and the reason.
    """
    try:
        return model.model_validate(values, strict=False)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the event"
        raise ScenarioError(f"{place}: {first['msg'][:160]}") from None


def parse_int(text: str, what: str, low: int, high: int) -> int:
    """Return `text` as a whole number.

    Raises:
        ScenarioError: It is not a number from `low` to `high`; the sentence names `what`.
    """
    number = int(text) if text.isdecimal() and len(text) <= _DIGITS else -1
    if not low <= number <= high:
        raise ScenarioError(f"{what} is a number from {low} to {high}, not {text[:_SHOWN]!r}")
    return number


def parse_count(text: str) -> int | None:
    """Return a count of cards; None for `-`, which a device without a counter reports."""
    if text == "-":
        return None
    if not text.isdecimal() or len(text) > _DIGITS:
        raise ScenarioError(
            f"{text[:_SHOWN]!r} is no number of cards: write a whole number, or - for a device that cannot count"
        )
    return int(text)


def parse_card(text: str) -> int:
    """Return the face that `text` names."""
    try:
        return parse_face(text)
    except ValueError as error:
        raise ScenarioError(str(error)) from None


PACE_MS: Final = 2_000
TICK_AFTER_MS: Final = 1_000
TICK_EVERY_MS: Final = 10_000
MAX_TICKS: Final = 200  # a gap of a day would otherwise be 8,640 steps of nothing
MINUTE_MS: Final = 60_000
DAY_MS: Final = 86_400_000

_UNITS: Final = {"s": 1_000, "m": MINUTE_MS, "h": 60 * MINUTE_MS, "ms": 1}
_WAIT: Final = re.compile(r"\+(\d{1,6})(ms|s|m|h)\Z")
_CLOCK: Final = re.compile(r"@(?:\+(\d{1,2})d\s+)?(\d\d):(\d\d)(?::(\d\d))?\Z")


@dataclass(frozen=True, slots=True)
class LineTime:
    """Time of a line: `after_ms` after the previous line, or `at_ms` from midnight of the scenario's day."""

    after_ms: int = PACE_MS
    at_ms: int | None = None

    def resolve(self, now_ms: int, last_ms: int) -> int:
        """Return the time in ms from midnight, where the previous line is at `last_ms`.

        Raises:
            ScenarioError: The time is before `now_ms`.
        """
        due = last_ms + self.after_ms if self.at_ms is None else self.at_ms
        if due < now_ms:
            raise ScenarioError(f"time runs backwards here: {format_clock(due)} comes after {format_clock(now_ms)}")
        return due


def parse_when(text: str) -> LineTime:
    """Return `text` as the time of a line.

    Raises:
        ScenarioError: The text is not a time.
    """
    if wait := _WAIT.match(text):
        return LineTime(after_ms=int(wait[1]) * _UNITS[wait[2]])
    if at := _CLOCK.match(text):
        days, hours, minutes, seconds = (int(part or 0) for part in at.groups())
        return LineTime(at_ms=days * DAY_MS + parse_minute(f"{hours:02}:{minutes:02}") * MINUTE_MS + seconds * 1_000)
    raise ScenarioError(f"{text!r} is no time: write +30s, +5m, +2h, @10:00 or @+1d 08:00")


def parse_minute(text: str) -> int:
    """Return the minute of the day that a text such as `08:30` names.

    Raises:
        ScenarioError: The text is not a time of day.
    """
    match = re.fullmatch(r"(\d\d):(\d\d)", text)
    if match is None or int(match[1]) > 23 or int(match[2]) > 59:  # noqa: PLR2004  the hours and minutes of a clock
        raise ScenarioError(f"{text!r} is no time of day: write 08:30")
    return int(match[1]) * 60 + int(match[2])


def tick_times(after_ms: int, until_ms: int) -> list[int]:
    """Return the times of clock ticks between two lines: after one second, then every ten, at most 200 ticks."""
    first = after_ms + TICK_AFTER_MS
    if first >= until_ms:
        return []
    step = max(TICK_EVERY_MS, (until_ms - first) // MAX_TICKS + 1)
    return list(range(first, until_ms, step))


def format_clock(at_ms: int) -> str:
    """Return `at_ms`, from midnight of the first day, as `+1d 08:00:00`."""
    days, rest = divmod(at_ms, DAY_MS)
    seconds = rest // 1_000
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"+{days}d {text}" if days else text

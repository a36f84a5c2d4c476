"""Words of a scenario for the table's own rows, and the union of all words that a line may use.

The table's own rows are `clk.tick`, `clk.day`, `clk.step -3600` and `log.permit withheld`.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final, get_args

from pitwarden.scenario.arguments import Arguments, BuiltEvent, validate_values
from pitwarden.scenario.device_events import DEVICE_WORDS, build_device_event
from pitwarden.scenario.errors import ScenarioError, unknown_word_error
from pitwarden.scenario.input_events import PERSON_WORDS, LogReferences, build_input
from pitwarden_client.events.dealer_wagers import WagerKind, Window
from pitwarden_client.events.table import ClockStepped, ClockTick, LogFault, PermitApplied

DAY_WORD: Final = "clk.day"
"""Time passes to the next beginning of the gaming day (header `day_start`), and the clock ticks."""

STEP_WORD: Final = "clk.step"
"""The UTC clock is set by a number of seconds; log time is not affected."""


_SECONDS: Final = re.compile(r"\A[+-]?[0-9]{1,9}\Z")


def build_table(word: str, args: Arguments) -> BuiltEvent:
    """Return the row that `word` names.

    Raises:
        ScenarioError: The arguments do not fit.
    """
    return TABLE_WORDS[word](args)


def step_ms(args: Arguments) -> int:
    """Return by how many ms `clk.step` sets the clock."""
    text = args.at(0, "by how many seconds")
    if not _SECONDS.match(text):
        raise ScenarioError(f"{text[:40]!r} is no number of seconds")
    return int(text) * 1_000


def _tick(args: Arguments) -> BuiltEvent:
    args.within(0)
    return BuiltEvent("field", ClockTick())


def _step(args: Arguments) -> BuiltEvent:
    args.within(1)
    return BuiltEvent("field", ClockStepped(delta_ms=step_ms(args)))


def _permit(args: Arguments) -> BuiltEvent:
    args.within(1)
    cause = args.at(0, "granted, withheld or expired")
    known = get_args(PermitApplied.model_fields["cause"].annotation)
    if cause not in known:
        raise unknown_word_error(cause, "permit", known)
    return BuiltEvent(
        "field", validate_values(PermitApplied, {"granted": cause == "granted", "cause": cause, "as_of": None})
    )


def _fault(args: Arguments) -> BuiltEvent:
    args.within(1)
    fault = args.at(0, "the fault")
    known = get_args(LogFault.model_fields["fault"].annotation)
    if fault not in known:
        raise unknown_word_error(fault, "fault of a log", known)
    return BuiltEvent("field", validate_values(LogFault, {"fault": fault, "detail": "as the scenario says"}))


TABLE_WORDS: Final[dict[str, Callable[[Arguments], BuiltEvent]]] = {
    "clk.tick": _tick,
    DAY_WORD: _tick,
    STEP_WORD: _step,
    "log.permit": _permit,
    "log.fault": _fault,
}


_OF_A_KEY: Final[dict[str, tuple[str, ...]]] = {"kp.wager": get_args(WagerKind), "kp.close": get_args(Window)}
"""Keys that take the name of a wager or a window, which is no word by itself."""

WORDS: Final = frozenset({*DEVICE_WORDS, *PERSON_WORDS, *TABLE_WORDS})


def build_event(word: str, tokens: tuple[str, ...], log: LogReferences) -> BuiltEvent:
    """Return the event of `word` and `tokens`.

    Raises:
        ScenarioError: The word is unknown; the sentence names the nearest known word.
    """
    args = Arguments.of(tokens)
    if word in DEVICE_WORDS:
        return build_device_event(word, args)
    if word in TABLE_WORDS:
        return build_table(word, args)
    if word in PERSON_WORDS:
        return build_input(word, args, log)
    raise unknown_event_error(word, WORDS)


def unknown_event_error(word: str, known: Iterable[str]) -> ScenarioError:
    """Return the error for a `word` that is no event; the name of a wager or a window is one of their words."""
    name = word.rpartition(".")[2]
    uses = [f"{key} {name}" for key, names in _OF_A_KEY.items() if name in names]
    if uses:
        return ScenarioError(f"{word!r} is no event (did you mean {' or '.join(uses)}?)")
    return unknown_word_error(word, "event", known)

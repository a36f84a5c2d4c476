"""Screen of one table as styled lines, for any width from 40 columns on. No terminal, no clock."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pitwarden.watch.view_model import DeckView, TableViewModel
from pitwarden_client import TableView
from pitwarden_client.events.outputs import Irregularity, TableState

Style = Literal["title", "stale", "good", "bad", "warn", "plain", "dim", "chosen"]
Line = tuple[Style, str]
HOUR_MS: Final = 3_600_000
# Columns below which lines are not made narrower; a smaller terminal cuts them.
MIN_WIDTH: Final = 40


@dataclass(frozen=True, slots=True)
class ScreenModel:
    """Content of the screen: table name, retained state, view model, and the reasons why it may be stale."""

    name: str
    now: TableView
    picture: TableViewModel
    stale: tuple[str, ...]
    reading: bool = False


def render_overview(shown: ScreenModel, width: int) -> Line:
    """Return one table of a pit as one line."""
    state = shown.now.state
    if shown.stale or state is None:
        return "stale", _cut(f"{shown.name}: STALE: {'; '.join(shown.stale)}", width)
    count = len(state.irregularities)
    permit = "may deal" if state.permit.granted else f"WITHHELD: {'; '.join(state.permit.reasons)}"
    matters = f", {count} open" if count else ""
    return ("good" if state.permit.granted else "bad"), _cut(
        f"{shown.name}: round {state.round}{matters}, {permit}", width
    )


def render_table(shown: ScreenModel, width: int, chosen: int) -> list[Line]:
    """Return the lines of a table. `chosen` is the index of the selected irregularity, from 0."""
    width = max(width, MIN_WIDTH)
    return list(_lines(shown, width, chosen))


def _lines(shown: ScreenModel, width: int, chosen: int) -> Iterator[Line]:
    state, picture = shown.now.state, shown.picture
    for reason in shown.stale:
        yield from _wrapped("stale", "STALE: ", reason, width)
    yield from _wrapped("title", "", _title(shown), width)
    if state is None:
        return
    yield from _permit(shown, state, width)
    yield from _irregularities(state.irregularities, width, chosen)
    for duty in state.duties:
        style: Style = "bad" if duty.status == "overdue" else "warn"
        words = (
            f"{duty.status.upper()}: {duty.sentence} {duty.catalogue} {', '.join(duty.clauses)}; the {duty.actor} acts."
        )
        yield from _wrapped(style, "duty ", words, width)
    for notice in picture.notices:
        yield from _wrapped("plain", "told ", notice, width)
    for place, cards in picture.cards.items():
        yield from _wrapped("plain", f"{place:<7}", " ".join(cards), width)
    yield from _decks(picture, width)
    yield from _devices(shown, width)
    yield from _doubts(shown, width)


def _title(shown: ScreenModel) -> str:
    state = shown.now.state
    parts = [shown.name]
    if state is not None:
        parts += [state.game, f"round {state.round}", shown.picture.step or ("in a round" if state.in_round else "")]
        parts += ["SIMULATED"] if state.simulated else []
    return " | ".join(part for part in parts if part)


def _permit(shown: ScreenModel, state: TableState, width: int) -> Iterator[Line]:
    reasons = "; ".join(state.permit.reasons)
    if shown.stale:
        known = "granted" if state.permit.granted else f"withheld: {reasons}"
        yield from _wrapped("warn", "PERMIT not known now; ", f"it was {known}", width)
        return
    if state.permit.granted:
        yield "good", "PERMIT granted: the table may deal"
    else:
        yield from _wrapped("bad", "PERMIT withheld: ", reasons, width)
    at_table = shown.picture.shown_permit
    if at_table is not None and at_table != state.permit.granted:
        yield "warn", f"  the table is still shown {'granted' if at_table else 'withheld'}"


def _irregularities(cases: Sequence[Irregularity], width: int, chosen: int) -> Iterator[Line]:
    if not cases:
        yield "dim", "no open irregularity"
    for place, case in enumerate(cases):
        mark = ">" if place == chosen else " "
        head = f"{case.catalogue} {' '.join(case.verdicts)} ({case.status}): {case.sentence}"
        yield from _wrapped("chosen" if place == chosen else "bad", f"{mark}{place + 1} ", head, width)
        where = [f"round {case.round}" if case.round is not None else "", f"deck {case.deck}" if case.deck else ""]
        where += [case.device or "", f"box {case.box}" if case.box else ""]
        rest = f"{', '.join(case.clauses)} ({case.basis}); {', '.join(part for part in where if part)}"
        yield from _wrapped("plain", "   ", rest, width)
        yield from _wrapped("plain", "   ", f"The {case.actor} acts. Cleared when: {case.clears}.", width)


def _decks(picture: TableViewModel, width: int) -> Iterator[Line]:
    for name, deck in sorted(picture.decks.items()):
        yield from _wrapped("plain", f"deck {name} ", _deck(name, deck, picture), width)


def _deck(name: str, deck: DeckView, picture: TableViewModel) -> str:
    rounds = f"{deck.rounds} round{'' if deck.rounds == 1 else 's'}"
    counted = f"no stub counted in {rounds}" if deck.stub is None else f"stub {deck.stub}, {rounds} ago"
    parts = [f"in play, {picture.drawn} drawn"] if name == picture.in_play else []
    parts += [counted]
    parts += [] if deck.shuffled is None else [f"shuffler counted {deck.shuffled}"]
    age = None if deck.opened_ms is None else max(picture.utc_ms - deck.opened_ms, 0)
    parts += (
        ["opened before this screen's log"] if age is None else [f"{age // HOUR_MS} h {age // 60_000 % 60:02} min old"]
    )
    return ", ".join(parts)


def _devices(shown: ScreenModel, width: int) -> Iterator[Line]:
    for name in sorted({*shown.now.devices, *shown.picture.inspections}):
        status, looked = shown.now.device(name), shown.picture.inspections.get(name)
        inspected = (
            "not inspected yet"
            if looked is None
            else f"{'passed' if looked[0] else 'FAILED'} inspection {looked[1]} UTC"
        )
        state = "not heard of" if status is None else status.state
        words = f"{state}, {inspected}" + (f": {status.reason}" if status is not None and state != "online" else "")
        good = state == "online" and looked is not None and looked[0]
        yield from _wrapped("plain" if good else "bad", f"{name} ", words, width)


def _doubts(shown: ScreenModel, width: int) -> Iterator[Line]:
    picture, now = shown.picture, shown.now
    faults = [*(now.field_half.faults if now.field_half else ()), *(now.judge_half.faults if now.judge_half else ())]
    for fault in faults:
        yield from _wrapped("bad", "fault ", fault, width)
    if picture.unproved:
        yield "bad", f"{picture.unproved} reveals do not prove what was drawn"
    if picture.unknown:
        yield "warn", f"{picture.unknown} messages are of a later version than this screen"
    if picture.broken:
        yield from _wrapped("dim", "log: ", picture.broken, width)
    if shown.reading:
        yield "dim", "still reading what the table said before"


def _wrapped(style: Style, label: str, words: str, width: int) -> Iterator[Line]:
    for text in textwrap.wrap(label + words, width, subsequent_indent=" " * min(len(label), 4) or "  "):
        yield style, text


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."

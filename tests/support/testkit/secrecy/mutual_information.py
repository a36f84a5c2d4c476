"""Mutual information between a hidden face and what anyone can measure on the bus while the card is hidden.

Equality of two nights (non-interference) cannot show a dependence that only a distribution has, such as a message that
comes a little later for some faces. Here each hidden card is a sample: its rank or suit on one side, on the other 20
fields of what was published from its row to the next. The threshold is that of a permutation test, which holds for any
distribution of the field; it is divided by the number of tests (Bonferroni).
"""

import math
import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pitwarden.watch.screen import ScreenModel, render_table
from pitwarden.watch.view_model import TableViewModel
from pitwarden_client import Cursor, LogItem, OutputItem, Position, TableView
from pitwarden_client.events.card_faces import rank_of, suit_of
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.outputs import TableState
from testkit.secrecy.night_variants import oracle
from testkit.secrecy.observations import SeenItem
from testkit.simulated_service.night import SimulatedNight

# At most so many classes of a field: with more, cells of the table are too thin to find anything.
CLASSES: Final = 4


@dataclass(frozen=True)
class HiddenWindow:
    """What was seen from the row of a hidden card, which is the first item, until the next row."""

    seen: Sequence[SeenItem]
    before_ms: int
    """Time of the row before."""
    after_ms: int
    """Time of the next row."""
    metrics: str
    """Metrics as next read."""
    screen: Sequence[str]
    """Lines of `pitwarden watch` at the end of the window."""


Measure = Callable[[HiddenWindow], float]


def _about(window: HiddenWindow, *words: str) -> list[SeenItem]:
    return [one for one in window.seen[1:] if any(word in one.what for word in words)]


def _first_ms(window: HiddenWindow, word: str) -> float:
    return next((one.at_ms - window.seen[0].at_ms for one in _about(window, word)), -1)


def _size(items: Iterable[SeenItem]) -> int:
    return sum(len(one.text) for one in items)


FIELDS: Final[Mapping[str, Measure]] = {
    "length of the row": lambda one: len(one.seen[0].text),
    "time since the row before": lambda one: one.seen[0].at_ms - one.before_ms,
    "time to the next row": lambda one: one.after_ms - one.seen[0].at_ms,
    "messages and lines": lambda one: len(one.seen),
    "length of all": lambda one: _size(one.seen),
    "messages of the state": lambda one: len(_about(one, "/state")),
    "length of the state": lambda one: _size(_about(one, "/state")),
    "time to the state": lambda one: _first_ms(one, "/state"),
    "outputs": lambda one: len(_about(one, "/irregularities", "/reveals")),
    "length of the outputs": lambda one: _size(_about(one, "/irregularities", "/reveals")),
    "time to the first output": lambda one: min(_first_ms(one, "/irregularities"), _first_ms(one, "/reveals")),
    "messages of the head": lambda one: len(_about(one, "/head")),
    "time to the head": lambda one: _first_ms(one, "/head"),
    "messages of status": lambda one: len(_about(one, "/status")),
    "positions of the judge": lambda one: len(_about(one, "/positions/")),
    "commands and replies": lambda one: len(_about(one, "/commands/", "/replies")),
    "log lines": lambda one: len(_about(one, "log")),
    "length of the log lines": lambda one: _size(_about(one, "log")),
    "metrics": lambda one: sum(map(ord, one.metrics)) % 9_973,
    "screen of watch": lambda one: sum(map(len, one.screen)),
}
"""The twenty fields, each as a number that is then put into classes of about equal size."""


@dataclass(frozen=True)
class HiddenSample:
    """Rank and suit of a hidden card, and what was seen while it was hidden."""

    rank: str
    suit: str
    window: HiddenWindow


def samples(night: SimulatedNight) -> Iterator[HiddenSample]:
    """Yield a sample for each card that was hidden at least until the next row; one for each row."""
    stream = night.observed.stream
    rows = [at for at, one in enumerate(stream) if one.row]
    first = {stream[at].row: place for place, at in reversed(list(enumerate(rows)))}
    screens = _screens(night, [stream[at].row for at in rows])
    hidden = (one for one in oracle(night).secrets if one.cycle is not None)
    for row, cards in groupby(hidden, key=lambda one: one.row):
        card, place = next(cards), first[row]
        if 0 < card.public <= row + 1 or place + 1 >= len(rows) or place == 0 or card.cycle is None:
            continue
        start, end = rows[place], rows[place + 1]
        metrics = next((one.text for one in stream[start:] if one.what == "metrics"), "")
        window = HiddenWindow(
            stream[start:end], stream[rows[place - 1]].at_ms, stream[end].at_ms, metrics, screens[row]
        )
        face = night.truth.orders[card.cycle][card.place].face
        yield HiddenSample(rank_of(face), suit_of(face), window)


def _screens(night: SimulatedNight, rows: Sequence[int]) -> dict[int, Sequence[str]]:
    """Return the lines of the screen, with the newest of the stream, after the messages of each row."""
    made, picture, view, row = dict[int, Sequence[str]](), TableViewModel(), TableView(), 0
    at, cursor = Position(epoch="e", number=1), Cursor()
    for topic, payload in night.observed.raw:
        if "/events/" in topic:
            made[row] = _lines(view, picture)
            event = decode(LogEvent, payload)
            row = event.tableseq
            picture.item(LogItem(at, payload, event, "", cursor))
        elif topic.endswith(("/irregularities", "/reveals")):
            picture.item(OutputItem(1, payload, decode(OutputEvent, payload), "", None, proved=True, cursor=cursor))
        elif topic.endswith("/state"):
            view.heard_state(decode(TableState, payload))
    made[row] = _lines(view, picture)
    return {number: made.get(number, ()) for number in rows}


def _lines(view: TableView, picture: TableViewModel) -> Sequence[str]:
    return [words for _, words in render_table(ScreenModel("table", view, picture, ()), 80, 0)]


def classes(values: Sequence[float]) -> list[int]:
    """Return the class of each value: itself where few values occur, else one of `CLASSES` of about equal size."""
    kinds = sorted(set(values))
    if len(kinds) <= CLASSES:
        return [kinds.index(value) for value in values]
    ordered = sorted(values)
    bounds = [ordered[len(ordered) * part // CLASSES] for part in range(1, CLASSES)]
    return [bisect_right(bounds, value) for value in values]


def information(one: Sequence[Hashable], other: Sequence[Hashable]) -> float:
    """Return the mutual information of paired values in bits, estimated by their frequencies."""
    total = len(one)
    left, right = Counter(one), Counter(other)
    return sum(
        count / total * math.log2(count * total / (left[a] * right[b]))
        for (a, b), count in Counter(zip(one, other, strict=True)).items()
    )


def chance(one: Sequence[Hashable], other: Sequence[Hashable], seed: str, draws: int) -> float:
    """Return how likely independent values have at least this information, by `draws` permutations of one side."""
    found, rng = information(one, other), random.Random(seed)  # noqa: S311  a seeded test, not a secret
    mixed, above = list(one), 0
    for drawn in range(1, draws + 1):
        rng.shuffle(mixed)
        # Equal sums in another order of addition differ in the last bits.
        above += information(mixed, other) >= found - 1e-12
        if above > _ENOUGH:
            return above / drawn
    return (above + 1) / (draws + 1)


_ENOUGH: Final = 50
"""Permutations at least as informative after which the chance is known to be far from any threshold."""


def leaking_fields(found: Sequence[HiddenSample], seed: str, significance: float = 0.01) -> dict[str, float]:
    """Return the fields that depend on the hidden rank or suit, with the chance of each.

    The threshold is divided by the number of tests, two for each field.
    """
    tests = 2 * len(FIELDS)
    draws = math.ceil(4 * tests / significance)
    hidden = {"rank": [one.rank for one in found], "suit": [one.suit for one in found]}
    leaks = dict[str, float]()
    for name, measure in FIELDS.items():
        values = classes([measure(one.window) for one in found])
        least = min(chance(secret, values, f"{seed} {name} {which}", draws) for which, secret in hidden.items())
        if least < significance / tests:
            leaks[name] = least
    return leaks

"""Acts of a standalone simulated device as words: the person's input and the event that the device senses."""

from collections.abc import Callable, Sequence
from typing import Final

from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.device import (
    ReaderFault,
    ReaderInserted,
    ShoeCut,
    ShoeEmpty,
    ShoeFault,
    ShoeLoaded,
    ShoeUnloaded,
    ShufflerDone,
    ShufflerFault,
    ShufflerStarted,
)
from pitwarden_drivers.api import PlainAnswer, PlainCard, PlainStack, Said, Secret
from pitwarden_simulators.devices.memory import EventSink


class ActError(ValueError):
    """The words name no act of this device. Policy: print the acts of the device. Example: `shoe drawn 9H`."""


_Sensed = Callable[..., Said]
"""Converts the words of an act into the sensed event.

Raises:
    TypeError, ValueError, KeyError: The words are wrong.
"""


def _loaded(deck: str, count: str) -> Said:
    return ShoeLoaded(deck=deck, count=int(count))


def _drawn(face: str, up: str = "") -> Said:
    return PlainCard(Secret(parse_face(face)), up=up == "up")


def _stack(*faces: str) -> Said:
    return PlainStack(len(faces), tuple(Secret(parse_face(face)) for face in faces))


def _unloaded(count: str) -> Said:
    return ShoeUnloaded(count=int(count))


def _started(deck: str) -> Said:
    return ShufflerStarted(deck=deck)


def _done(deck: str, count: str = "") -> Said:
    return ShufflerDone(deck=deck, count=int(count) if count else None)


def _shuffler_jam(deck: str, holding: str) -> Said:
    return ShufflerFault(deck=deck, fault="jam", holding=int(holding))


def _answer(word: str) -> Said:
    return PlainAnswer(Secret({"no": 0, "blackjack": 1}[word]))


_SHOE: Final[dict[str, tuple[str, _Sensed]]] = {
    "load": ("load DECK COUNT", _loaded),
    "draw": ("draw CARD [up]", _drawn),
    "stack": ("stack CARD...", _stack),
    "cut": ("cut", ShoeCut),
    "empty": ("empty", ShoeEmpty),
    "unload": ("unload COUNT", _unloaded),
    "jam": ("jam", lambda: ShoeFault(fault="jam")),
}
_SHUFFLER: Final[dict[str, tuple[str, _Sensed]]] = {
    "start": ("start DECK", _started),
    "done": ("done DECK [COUNT]", _done),
    "jam": ("jam DECK HOLDING", _shuffler_jam),
}
_READER: Final[dict[str, tuple[str, _Sensed]]] = {
    "insert": ("insert", ReaderInserted),
    "answer": ("answer blackjack|no", _answer),
    "fail": ("fail", lambda: ReaderFault(fault="no_answer")),
}
ACTS: Final = {"shoe": _SHOE, "shuffler": _SHUFFLER, "text-shuffler": _SHUFFLER, "reader": _READER}
"""Acts of each device: the first word, the words for a person, and the sensed event."""


def sense(device: str, sink: EventSink, words: Sequence[str]) -> None:
    """Make `device` sense the act in `words`.

    Raises:
        ActError: The words describe none.
    """
    known = ACTS[device]
    acts = "; ".join((*(words for words, _ in known.values()), "unplug", "plug", "clear", "replace SERIAL"))
    usage = f"{device}: write one of: {acts}"
    if not words or words[0] not in known:
        raise ActError(usage)
    try:
        said = known[words[0]][1](*words[1:])
    except (TypeError, ValueError, KeyError) as error:
        raise ActError(f"{device} {' '.join(words)}: {error}. {usage}") from None
    if words[0] == "jam":
        sink.latch(said)
    else:
        sink.emit(said)

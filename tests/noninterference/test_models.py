"""No model that is published or stored has a place for a card in clear, but the one that reveals it."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import get_args

import pytest

import pitwarden_client.events
from pitwarden_client.events.base import Record
from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.events.device import ReaderResult
from pitwarden_client.events.floor import FtCardRemoved
from pitwarden_client.events.outputs import ReaderRevealed, Reveal

TELLING = frozenset(
    {"rank", "ranks", "suit", "suits", "card", "cards", "face", "faces", "bit", "answer", "blackjack", "replaced_by"}
)
# The floor names a card that it took out, and the one in its place. Both are public when no round is open, and the
# input gate makes no row of them while one may be (tests/field/test_round_watch.py).
REMOVED = {(FtCardRemoved, "face"), (FtCardRemoved, "replaced_by")}
REVEALING = {(Reveal, "face"), (ReaderRevealed, "blackjack"), *REMOVED}


def models() -> list[type[Record]]:
    for module in pkgutil.iter_modules(pitwarden_client.events.__path__):
        importlib.import_module(f"pitwarden_client.events.{module.name}")
    return list(below(Record))


def below(model: type[Record]) -> Iterator[type[Record]]:
    for each in model.__subclasses__():
        if each.__module__.startswith("pitwarden_client.events."):
            yield each
            yield from below(each)


def parts(kind: object) -> Iterator[object]:
    """Yield a type and all that its generic and union members name."""
    yield kind
    for inner in get_args(kind):
        yield from parts(inner)


def in_the_clear(model: type[Record]) -> list[str]:
    """Fields with a telling name that do not hold seals."""
    return [
        name
        for name, field in model.model_fields.items()
        if name in TELLING and (model, name) not in REVEALING and Sealed not in parts(field.annotation)
    ]


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_a_model_has_no_card_in_clear(model: type[Record]) -> None:
    assert in_the_clear(model) == []


def test_what_reveals_and_what_seals_is_among_them() -> None:
    assert {Reveal, ReaderRevealed, ReaderResult} <= set(models())


def test_a_card_in_clear_is_seen() -> None:
    class Told(Record):
        rank: str
        faces: tuple[int, ...]
        answer: Sealed

    assert in_the_clear(Told) == ["rank", "faces"]

"""Arbitrary well-formed log rows, generated from the event models, and honest rows to mix them with."""

from dataclasses import replace
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st

from pitwarden.rules import LogEntry
from pitwarden_client.events.base import Record
from pitwarden_client.events.card_faces import FACES, Sealed
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.device import DeviceEvent, ReaderResult, ShoeCard, ShoeStack
from pitwarden_client.events.floor import FloorAct
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import TableEvent
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import FURTHER_TABLES, TABLES, SimulatedTableSetup
from pitwarden_tools.simulation.table_rules import rules_setup
from testkit.nights.in_memory_night import InMemoryJudge, play
from testkit.tables.rules_table import role_of

SEALED = Sealed(key="k", box="", commitment="0" * 64)
DEVICES = ("shoe", "shuffler", "reader", "nobody")
BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "box": st.integers(1, 7),
    "boxes": st.lists(st.integers(1, 7), max_size=7, unique=True).map(sorted).map(tuple),
    "deck": st.sampled_from(["A", "B", "C"]),
    "device": st.sampled_from(DEVICES),
    "KpCut.by": st.sampled_from([1, 5, "dealer"]),
    "count": st.sampled_from([None, 0, 6, 7, 17, 38, 51, 52, 383, 384]),
    "counts": st.lists(st.sampled_from([6, 7, 8]), min_size=1, max_size=8).map(tuple),
    "number": st.integers(0, 3_000),
    "KpDiceWager.number": st.sampled_from([None, 4, 10]),
    "KpDiceSettled.number": st.sampled_from([None, 4, 10]),
    "KpMisplaced.first": st.sampled_from(["box1.1", "dealer.1", "nowhere"]),
    "KpMisplaced.second": st.sampled_from(["box2.1", "dealer.2"]),
    "irregularity": st.sampled_from(["pure-40-0", "pure-700-0", "none"]),
    "tens_removed": st.sampled_from([0, 31, 32]),
    "signature": st.just("A" * 86 + "=="),
    "wrapped": st.just(()),
    "parent": st.none(),
    "digits": st.just("12"),
    "colour": st.sampled_from([None, "red", "blue"]),
    "back": st.sampled_from([None, "red"]),
}


TEXTS = {**dict.fromkeys(("hash", "signer", "profile_digest"), "0" * 64), "face": "JS", "replaced_by": "10H"}
"""Texts that have a form, by the name of their field."""


def any_of(kind: Any, name: str = "") -> st.SearchStrategy[Any]:  # noqa: ANN401  an annotation is of any type
    """Generate values of an annotated type, small and often meaningful."""
    name = name if name in BY_NAME else name.rpartition(".")[2]
    if name in BY_NAME:
        return BY_NAME[name].filter(lambda value: value is not None or _optional(kind))
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        bounded = _bounded(args)
        return any_of(args[0], name) if bounded is None else bounded
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, UnionType):
        return st.one_of(*(any_of(arg, name) for arg in args))
    if kind is type(None):
        return st.none()
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(0, 9)
    if kind is str:
        return st.just(TEXTS.get(name, "rd1"))
    if isinstance(kind, type) and issubclass(kind, Record):
        return st.just(SEALED) if kind is Sealed else any_record(kind)
    return st.just(())


def _bounded(args: tuple[Any, ...]) -> st.SearchStrategy[int] | None:
    """Return the first dozen whole numbers of a type with a lower bound, None for any other type."""
    inner = [one for meta in args[1:] for one in (*getattr(meta, "metadata", ()), meta)]
    least = next((one.ge for one in inner if getattr(one, "ge", None) is not None), None)
    most = next((one.le for one in inner if getattr(one, "le", None) is not None), None)
    if args[0] is not int or least is None:
        return None
    return st.integers(least, least + 11 if most is None else min(most, least + 11))


def _optional(kind: Any) -> bool:  # noqa: ANN401  an annotation is of any type
    return kind is type(None) or any(_optional(arg) for arg in get_args(kind) if not isinstance(arg, str))


@cache
def any_record(kind: type[Record]) -> st.SearchStrategy[Record]:
    """Generate records of one model."""
    fields = {
        name: any_of(
            Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation,
            f"{kind.__name__}.{name}",
        )
        for name, field in kind.model_fields.items()
    }
    return st.fixed_dictionaries(fields).map(lambda made: kind(**made))


@cache
def any_data() -> st.SearchStrategy[Any]:
    """Generate the data of a row: device events, inputs of every role, rows that the field half writes."""
    acts = st.one_of(*(any_record(kind) for kind in (*get_args(DealerAct), *get_args(FloorAct))))
    inputs = st.builds(
        lambda act, person: InputLogged(
            role=role_of(act), terminal="t1", person=person, input_id="i1", as_of=None, act=act
        ),
        acts,
        st.sampled_from(["dealer-1", "floor-1"]),
    )
    return st.one_of(inputs, *(any_record(kind) for kind in (*get_args(DeviceEvent), *get_args(TableEvent))))


@st.composite
def any_entry(draw: st.DrawFn) -> LogEntry:
    """Generate a row of any kind; `mixed` sets its number and times."""
    data = draw(any_data())
    faces: tuple[int, ...] = ()
    if isinstance(data, ShoeCard | ShoeStack):
        face = st.sampled_from(sorted(FACES))
        size = 1 if isinstance(data, ShoeCard) else draw(st.integers(0, min(data.count, 8)))
        faces = tuple(draw(st.lists(face, min_size=size, max_size=size)))
    bit = draw(st.booleans()) if isinstance(data, ReaderResult) else None
    unreadable = draw(st.integers(0, 19)) == 0
    return LogEntry("pure", 0, 0, 0, draw(st.sampled_from(DEVICES)), data, faces, bit, unreadable)


@cache
def night(table: str, rounds: int = 6, seed: str = "7", *, faults: bool = False) -> tuple[LogEntry, ...]:
    """Return the rows of a simulated night, honest or with its table's faults."""
    setup = table_of(table)
    broken = [fault for fault in load_faults() if fault.table == table] if faults else []
    rows = play(setup, seed, rounds, broken, judge=InMemoryJudge(setup)).rows
    return tuple(
        LogEntry("pure", row.number, row.log_ms, row.utc_ms, row.source, row.data, row.faces, row.bit) for row in rows
    )


def table_of(name: str) -> SimulatedTableSetup:
    """Return the simulators' table of that name."""
    return (TABLES | FURTHER_TABLES)[name]


def mixed(rows: tuple[LogEntry, ...], strange: list[tuple[int, LogEntry]]) -> tuple[LogEntry, ...]:
    """Return `rows` with `strange` ones inserted after the given positions, all numbered and timed again."""
    made = list(rows)
    for at, entry in sorted(strange, key=lambda pair: -pair[0]):
        near = made[at % len(made)]
        made.insert(at % len(made) + 1, replace(entry, log_ms=near.log_ms, utc_ms=near.utc_ms))
    return tuple(replace(entry, number=number) for number, entry in enumerate(made, start=1))


NIGHTS = (*TABLES, *FURTHER_TABLES)
SETUPS = {name: rules_setup(table_of(name)) for name in NIGHTS}


@st.composite
def disturbed(draw: st.DrawFn) -> tuple[str, tuple[LogEntry, ...]]:
    """Generate the name of a table and a night of it, disturbed by rows of any kind at any place."""
    name = draw(st.sampled_from(NIGHTS))
    rows = night(name, 3)
    start = draw(st.integers(0, len(rows) // 2))
    size = draw(st.integers(20, 120))
    strange = draw(st.lists(st.tuples(st.integers(0, size), any_entry()), min_size=1, max_size=12))
    return name, mixed(rows[: start + size], [(start + at, entry) for at, entry in strange])

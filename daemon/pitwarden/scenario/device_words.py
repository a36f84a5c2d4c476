"""What the devices say in a scenario: `sh.card 9H up`, `sf.done A 384`, `rd.res bj`, `dev.health shoe stale`.

Faces and the reader's bit stand in clear here: these cards were never in a shoe.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar, get_args

from pydantic import ValidationError

from pitwarden.events.base import Record
from pitwarden.events.device import (
    DeviceEvent,
    DeviceGap,
    DeviceHealth,
    DeviceIdentified,
    DeviceRestarted,
    DeviceSuspect,
    DeviceUnknown,
    ReaderFault,
    ReaderInserted,
    ReaderResult,
    ShoeCard,
    ShoeCut,
    ShoeEmpty,
    ShoeFault,
    ShoeLoaded,
    ShoeStack,
    ShoeUnloaded,
    ShufflerDone,
    ShufflerFault,
    ShufflerStarted,
)
from pitwarden.events.faces import face_of
from pitwarden.events.inputs import InputLogged
from pitwarden.events.sealed import Sealed
from pitwarden.events.table import TableEvent
from pitwarden.scenario.errors import ScenarioError, unknown

_SEAL: Final = Sealed(key="scenario", box="", commitment="0" * 64)
M = TypeVar("M", bound=Record)


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


def build_device(word: str, args: Args) -> Made:
    """The device event that `word` names; ScenarioError when its arguments do not fit."""
    source, maker = DEVICE_WORDS[word]
    named = dict(args.named)
    source = named.pop("dev", source or args.at(0, "the device"))
    made = maker(Args(args.plain, named))
    return Made(source, made.data, made.faces, made.bit)


def check(model: type[M], values: dict[str, object]) -> M:
    """`values`, which may still be text, as a `model`; ScenarioError naming field and reason."""
    try:
        return model.model_validate(values, strict=False)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the event"
        raise ScenarioError(f"{place}: {first['msg'][:160]}") from None


def count_of(text: str) -> int | None:
    """A count of cards; `-` where the device does not count."""
    if text == "-":
        return None
    if not text.isdecimal():
        raise ScenarioError(
            f"{text!r} is no number of cards: write a whole number, or - for a device that cannot count"
        )
    return int(text)


def card(text: str) -> int:
    """The face that `text` names."""
    try:
        return face_of(text)
    except ValueError as error:
        raise ScenarioError(str(error)) from None


def _choice(text: str, model: type[Record], name: str) -> str:
    known = get_args(model.model_fields[name].annotation)
    if text not in known:
        raise unknown(text, name, known)
    return text


def _loaded(args: Args) -> Made:
    args.within(2)
    count = count_of(args.at(1, "the count")) if len(args.plain) > 1 else None
    return Made("", check(ShoeLoaded, {"deck": args.at(0, "the deck"), "count": count}))


def _card(args: Args) -> Made:
    args.within(2, ("back",))
    face = card(args.at(0, "the card"))
    up = args.plain[1:] == ("up",)
    if len(args.plain) > 1 and args.plain[1] not in {"up", "down"}:
        raise unknown(args.plain[1], "way for a card to lie", ("up", "down"))
    return Made("", check(ShoeCard, {"face": _SEAL, "up": up, "back": args.named.get("back")}), (face,))


def _stack(args: Args) -> Made:
    args.within(417)
    faces = tuple(card(text) for text in args.plain[1:])
    count = count_of(args.at(0, "the number of cards"))
    if faces and len(faces) != count:
        raise ScenarioError(f"a stack of {count} shows {len(faces)} faces: name all of them or none")
    return Made("", check(ShoeStack, {"count": count, "faces": (_SEAL,) * len(faces)}), faces)


def _unloaded(args: Args) -> Made:
    args.within(1)
    return Made("", check(ShoeUnloaded, {"count": count_of(args.plain[0]) if args.plain else None}))


def _started(args: Args) -> Made:
    args.within(1, ("mode",))
    return Made("", check(ShufflerStarted, {"deck": args.at(0, "the deck"), **args.named}))


def _done(args: Args) -> Made:
    args.within(2, ("mode",))
    values: dict[str, object] = {"deck": args.at(0, "the deck"), "count": count_of(args.at(1, "the count, or -"))}
    return Made("", check(ShufflerDone, values | args.named))


def _shuffler_fault(args: Args) -> Made:
    args.within(2, ("holding",))
    fault = _choice(args.at(1, "the fault"), ShufflerFault, "fault")
    return Made("", check(ShufflerFault, {"deck": args.at(0, "the deck"), "fault": fault, **args.named}))


def _shoe_fault(args: Args) -> Made:
    args.within(1)
    return Made("", check(ShoeFault, {"fault": _choice(args.at(0, "the fault"), ShoeFault, "fault")}))


def _reader_fault(args: Args) -> Made:
    args.within(1)
    fault = args.plain[0] if args.plain else "hardware"
    return Made("", check(ReaderFault, {"fault": _choice(fault, ReaderFault, "fault")}))


def _result(args: Args) -> Made:
    args.within(1)
    answer = args.at(0, "the answer")
    if answer not in {"bj", "no"}:
        raise unknown(answer, "answer of a reader", ("bj", "no"))
    return Made("", ReaderResult(answer=_SEAL), bit=answer == "bj")


def _health(args: Args) -> Made:
    args.within(2)
    state = _choice(args.at(1, "the state"), DeviceHealth, "state")
    return Made("", check(DeviceHealth, {"state": state, "reason": "as the scenario says"}))


def _gap(args: Args) -> Made:
    args.within(1)
    return Made("", DeviceGap(first=1, last=2))


def _identified(args: Args) -> Made:
    args.within(1)
    return Made("", DeviceIdentified(serial="S1", firmware="1.0", boot=1))


def _restarted(args: Args) -> Made:
    args.within(1)
    return Made("", DeviceRestarted(boot=2))


def _suspect(args: Args) -> Made:
    args.within(1)
    return Made("", DeviceSuspect(reason="as the scenario says"))


def _unknown(args: Args) -> Made:
    args.within(1)
    return Made("", DeviceUnknown(code=99))


def _bare(data: DeviceEvent) -> Callable[[Args], Made]:
    def make(args: Args) -> Made:
        args.within(0)
        return Made("", data)

    return make


DEVICE_WORDS: Final[dict[str, tuple[str, Callable[[Args], Made]]]] = {
    "sh.load": ("shoe", _loaded),
    "sh.card": ("shoe", _card),
    "sh.stack": ("shoe", _stack),
    "sh.cut": ("shoe", _bare(ShoeCut())),
    "sh.empty": ("shoe", _bare(ShoeEmpty())),
    "sh.fault": ("shoe", _shoe_fault),
    "sh.unload": ("shoe", _unloaded),
    "sf.start": ("shuffler", _started),
    "sf.done": ("shuffler", _done),
    "sf.fault": ("shuffler", _shuffler_fault),
    "rd.ins": ("reader", _bare(ReaderInserted())),
    "rd.res": ("reader", _result),
    "rd.fault": ("reader", _reader_fault),
    "dev.health": ("", _health),
    "dev.gap": ("", _gap),
    "dev.identified": ("", _identified),
    "dev.restarted": ("", _restarted),
    "dev.suspect": ("", _suspect),
    "dev.unknown": ("", _unknown),
}
"""Word -> (who says it, empty for the first argument; what makes the event)."""

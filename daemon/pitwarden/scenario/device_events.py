"""Words of a scenario for device events: `sh.card 9H up`, `sf.done A 384`, `rd.res bj`, `dev.health shoe stale`.

Faces and the reader's bit are in plain text here, because these cards were never in a shoe.
"""

from collections.abc import Callable
from typing import Final, get_args

from pitwarden.scenario.arguments import Arguments, BuiltEvent, parse_card, parse_count, validate_values
from pitwarden.scenario.errors import ScenarioError, unknown_word_error
from pitwarden_client.events.base import Record
from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.events.device import (
    DeviceEvent,
    DeviceGap,
    DeviceHealth,
    DeviceIdentified,
    DeviceRestarted,
    DeviceSuspect,
    DeviceUnknown,
    ReaderFault,
    ReaderHolePlaced,
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

_SEAL: Final = Sealed(key="scenario", box="", commitment="0" * 64)


def build_device_event(word: str, args: Arguments) -> BuiltEvent:
    """Return the device event that `word` names.

    Raises:
        ScenarioError: The arguments do not fit.
    """
    source, maker = DEVICE_WORDS[word]
    named = dict(args.named)
    source = named.pop("dev", source or args.at(0, "the device"))
    made = maker(Arguments(args.plain, named))
    return BuiltEvent(source, made.data, made.faces, made.bit)


def _choice(text: str, model: type[Record], name: str) -> str:
    known = get_args(model.model_fields[name].annotation)
    if text not in known:
        raise unknown_word_error(text, name, known)
    return text


def _loaded(args: Arguments) -> BuiltEvent:
    args.within(2)
    count = parse_count(args.at(1, "the count")) if len(args.plain) > 1 else None
    return BuiltEvent("", validate_values(ShoeLoaded, {"deck": args.at(0, "the deck"), "count": count}))


def _card(args: Arguments) -> BuiltEvent:
    args.within(2, ("back",))
    face = parse_card(args.at(0, "the card"))
    up = args.plain[1:] == ("up",)
    if len(args.plain) > 1 and args.plain[1] not in {"up", "down"}:
        raise unknown_word_error(args.plain[1], "way for a card to lie", ("up", "down"))
    return BuiltEvent("", validate_values(ShoeCard, {"face": _SEAL, "up": up, "back": args.named.get("back")}), (face,))


def _stack(args: Arguments) -> BuiltEvent:
    args.within(417)
    faces = tuple(parse_card(text) for text in args.plain[1:])
    count = parse_count(args.at(0, "the number of cards"))
    if faces and len(faces) != count:
        raise ScenarioError(f"a stack of {count} shows {len(faces)} faces: name all of them or none")
    return BuiltEvent("", validate_values(ShoeStack, {"count": count, "faces": (_SEAL,) * len(faces)}), faces)


def _unloaded(args: Arguments) -> BuiltEvent:
    args.within(1)
    return BuiltEvent("", validate_values(ShoeUnloaded, {"count": parse_count(args.plain[0]) if args.plain else None}))


def _started(args: Arguments) -> BuiltEvent:
    args.within(1, ("mode",))
    return BuiltEvent("", validate_values(ShufflerStarted, {"deck": args.at(0, "the deck"), **args.named}))


def _done(args: Arguments) -> BuiltEvent:
    args.within(2, ("mode",))
    values: dict[str, object] = {"deck": args.at(0, "the deck"), "count": parse_count(args.at(1, "the count, or -"))}
    return BuiltEvent("", validate_values(ShufflerDone, values | args.named))


def _shuffler_fault(args: Arguments) -> BuiltEvent:
    args.within(2, ("holding",))
    fault = _choice(args.at(1, "the fault"), ShufflerFault, "fault")
    return BuiltEvent(
        "", validate_values(ShufflerFault, {"deck": args.at(0, "the deck"), "fault": fault, **args.named})
    )


def _shoe_fault(args: Arguments) -> BuiltEvent:
    args.within(1)
    return BuiltEvent("", validate_values(ShoeFault, {"fault": _choice(args.at(0, "the fault"), ShoeFault, "fault")}))


def _reader_fault(args: Arguments) -> BuiltEvent:
    args.within(1)
    fault = args.plain[0] if args.plain else "hardware"
    return BuiltEvent("", validate_values(ReaderFault, {"fault": _choice(fault, ReaderFault, "fault")}))


def _result(args: Arguments) -> BuiltEvent:
    args.within(1)
    answer = args.at(0, "the answer")
    if answer not in {"bj", "no"}:
        raise unknown_word_error(answer, "answer of a reader", ("bj", "no"))
    return BuiltEvent("", ReaderResult(answer=_SEAL), bit=answer == "bj")


def _health(args: Arguments) -> BuiltEvent:
    args.within(2)
    state = _choice(args.at(1, "the state"), DeviceHealth, "state")
    return BuiltEvent("", validate_values(DeviceHealth, {"state": state, "reason": "as the scenario says"}))


def _gap(args: Arguments) -> BuiltEvent:
    args.within(1)
    return BuiltEvent("", DeviceGap(first=1, last=2))


def _identified(args: Arguments) -> BuiltEvent:
    args.within(1)
    return BuiltEvent("", DeviceIdentified(serial="S1", firmware="1.0", boot=1))


def _restarted(args: Arguments) -> BuiltEvent:
    args.within(1)
    return BuiltEvent("", DeviceRestarted(boot=2))


def _suspect(args: Arguments) -> BuiltEvent:
    args.within(1)
    return BuiltEvent("", DeviceSuspect(reason="as the scenario says"))


def _unknown(args: Arguments) -> BuiltEvent:
    args.within(1)
    return BuiltEvent("", DeviceUnknown(code=99))


def _bare(data: DeviceEvent) -> Callable[[Arguments], BuiltEvent]:
    def make(args: Arguments) -> BuiltEvent:
        args.within(0)
        return BuiltEvent("", data)

    return make


DEVICE_WORDS: Final[dict[str, tuple[str, Callable[[Arguments], BuiltEvent]]]] = {
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
    "rd.hole": ("reader", _bare(ReaderHolePlaced())),
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
"""Word, its device (empty: the first argument names it), and the function that builds the event."""
